/** What the scrape configurations send is what `/metrics` wants: a key in a file, made as the page says. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { type RunningNode, resolveNodeOptions, startNode } from 'lockstep'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { runIn } from '../cli/open-cli.ts'
import { codeBlocks } from '../docs/code-blocks.ts'
import { manifestsIn } from './check-manifest.ts'
import { renderChart } from './render-chart.ts'

const FIRST = 'a-first-key-of-0123456789-characters'
const file = (name: string): URL => new URL(`../../deploy/${name}`, import.meta.url)
const folder = mkdtempSync(path.join(tmpdir(), 'lockstep-scrape-'))
let node: RunningNode
let key: string

beforeAll(async () => {
  const options = resolveNodeOptions({ port: 0, auth: 'keys', apiKey: FIRST, dataDir: path.join(folder, 'data') })
  node = await startNode(options, { clock: systemClock, random: systemRandom, logger: silentLogger })
  const [, line = ''] = /^lockstep (keys create .*) > key$/m.exec(
    codeBlocks('docs/how-to/kubernetes.md')
      .map(({ code }) => code)
      .join('\n'),
  )!
  const environment = { LOCKSTEP_URL: node.url, LOCKSTEP_API_KEY: FIRST, LOCKSTEP_OUTPUT: '' }
  key = (await runIn('.', environment, line.split(' '))).out.trim()
})
afterAll(async () => {
  await node.stop()
  rmSync(folder, { recursive: true, force: true })
})

const ask = (wanted: string, headers: Record<string, string> = {}) => fetch(`${node.url}${wanted}`, { headers })

interface Job {
  readonly metrics_path?: string
  readonly authorization: { readonly type?: string; readonly credentials_file: string }
}

describe('Prometheus', () => {
  it.each(['prometheus/scrape-kubernetes.yml', 'compose/prometheus.yml'])(
    'is let in with the key of %s',
    async (name) => {
      const { scrape_configs: jobs } = parse(readFileSync(file(name), 'utf8')) as { scrape_configs: readonly Job[] }
      const [{ metrics_path: at = '/metrics', authorization }] = jobs as [Job]
      expect(authorization.credentials_file).toMatch(/^\//)
      const header = { authorization: `${authorization.type ?? 'Bearer'} ${key}` }
      const answer = await ask(at, header)
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('lockstep_node_info')])
    },
  )

  it('is let in as the chart says', async () => {
    const chart = renderChart(new URL('../../deploy/helm/lockstep', import.meta.url).pathname, 'lockstep', {
      podMonitor: { enabled: true },
    })
    const [endpoint] = manifestsIn(chart.get('podmonitor.yaml')!)[0]!.spec.podMetricsEndpoints
    const answer = await ask(endpoint.path, { authorization: `${endpoint.authorization.type} ${key}` })
    expect(answer.status).toBe(200)
  })

  it('is not let in without, and its key opens nothing else', async () => {
    expect((await ask('/metrics')).status).toBe(401)
    expect((await ask('/api/v1/workflow-instances', { authorization: `Bearer ${key}` })).status).toBe(403)
  })
})
