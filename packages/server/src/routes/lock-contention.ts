import type { WaiterView } from '@lockstep/coordination'
import Type from 'typebox'
import { route } from '../route/route.ts'
import { iso } from '../wire/instance.ts'
import { instant } from '../wire/schema.ts'

const MOST_KEYS = 20
const MOST_PATTERNS = 20

const Quantiles = Type.Object({ p50: Type.Number(), p95: Type.Number(), p99: Type.Number(), max: Type.Number() })

const Contention = Type.Object({
  keys: Type.Array(
    Type.Object({
      key: Type.String(),
      waiters: Type.Integer({ description: 'Places in the store; a process waits once for all of its own.' }),
      since: instant('How long the first of them has waited.'),
    }),
    { description: 'Those with most who wait first.' },
  ),
  deadlocks: Type.Array(
    Type.Object({
      actors: Type.Array(Type.String()),
      finding: Type.String(),
      certain: Type.Boolean({ description: 'false: it may still end by itself.' }),
    }),
    { description: 'Who waits for each other in a circle.' },
  ),
  patterns: Type.Array(
    Type.Object({
      pattern: Type.String({ description: 'Names with their ids replaced by *.' }),
      asked: Type.Integer(),
      granted: Type.Integer(),
      refused: Type.Integer(),
      timedOut: Type.Integer(),
      failed: Type.Integer(),
      lost: Type.Integer(),
      contention: Type.Number({ description: 'Share of those who did not get it at once, 0 to 1.' }),
      waitMs: Quantiles,
      holdMs: Quantiles,
    }),
    { description: 'What the node that answers saw since it began, the most asked first.' },
  ),
  truncated: Type.Boolean({ description: 'There are more who wait than were looked at.' }),
})

export const getLockContention = route({
  method: 'GET',
  path: '/lock-contention',
  name: 'getLockContention',
  permission: 'locks:read',
  reach: 'cluster',
  summary: 'Which locks are waited for most, who waits in a circle, and how long locks were waited for and held.',
  replies: { 200: Contention },
  problems: ['PROVIDER_UNAVAILABLE'],
  async handle({ locks }) {
    if (locks === undefined) return { status: 200, body: { keys: [], deadlocks: [], patterns: [], truncated: false } }
    const { monitor } = locks()
    const [waiters, graph] = await Promise.all([monitor.waiters(), monitor.graph()])
    const patterns = monitor.stats().slice(0, MOST_PATTERNS)
    const deadlocks = graph.deadlocks.map(({ actors, finding, certain }) => ({ actors, finding, certain }))
    return { status: 200, body: { keys: byKey(waiters), deadlocks, patterns, truncated: graph.truncated } }
  },
})

function byKey(waiters: readonly WaiterView[]) {
  const keys = new Map<string, { waiters: number; since: number }>()
  for (const { lock, since } of waiters) {
    const before = keys.get(lock)
    keys.set(lock, { waiters: (before?.waiters ?? 0) + 1, since: Math.min(before?.since ?? since, since) })
  }
  return [...keys]
    .sort(([, a], [, b]) => b.waiters - a.waiters || a.since - b.since)
    .slice(0, MOST_KEYS)
    .map(([key, each]) => ({ key, waiters: each.waiters, since: iso(each.since) }))
}
