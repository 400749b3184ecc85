import { readFileSync } from 'node:fs'
import { route } from '../route/route.ts'
import { anything } from '../wire/schema.ts'

/** The same file from `src`, from `dist` and inside a packed package; what is deployed takes it from there as well. */
const file = new URL('../../grafana/lockstep.json', import.meta.url)
let dashboard: unknown

export const getMetricsDashboard = route({
  method: 'GET',
  path: '/metrics/dashboard',
  name: 'getMetricsDashboard',
  permission: 'cluster:read',
  reach: 'cluster',
  summary:
    'A dashboard for Grafana, to be imported there: every metric that nodes serve, from a Prometheus that is chosen in it.',
  replies: { 200: anything('As Grafana imports it.') },
  problems: [],
  handle: () => {
    dashboard ??= JSON.parse(readFileSync(file, 'utf8'))
    return { status: 200, body: dashboard }
  },
})
