import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { cloneDatabase } from '@lockstep/testing/harness'
import { type RunningNode, resolveNodeOptions, startNode, workflow } from 'lockstep'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { until } from '../faults/until.ts'
import { parseMetrics } from './parse-metrics.ts'

const NAME = 'lockstep_queue_oldest_due_seconds'
const report = workflow('report', async () => 'done')

describe('work that nobody takes', () => {
  let folder: string
  let database: Awaited<ReturnType<typeof cloneDatabase>>
  let front: RunningNode
  const nodes: RunningNode[] = []
  const open = async (given: Parameters<typeof resolveNodeOptions>[0], workflows = [report]): Promise<RunningNode> => {
    const options = resolveNodeOptions({ port: 0, dataDir: folder, databaseUrl: database.url, ...given })
    const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
    const node = await startNode(options, edge, { workflows, activities: [], jobs: [] })
    nodes.push(node)
    return node
  }
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'lockstep-untaken-'))
    database = await cloneDatabase(inject('postgres'))
    front = await open({ nodeName: 'front', roles: ['api'] })
  })
  afterAll(async () => {
    for (const node of nodes) await node.stop()
    await database?.drop()
    await rm(folder, { recursive: true, force: true })
  })

  const ages = async ({ url } = front): Promise<Readonly<Record<string, number>>> => {
    const family = parseMetrics(await (await fetch(`${url}/metrics`)).text()).get(NAME)
    return Object.fromEntries((family?.samples ?? []).map(({ labels, value }) => [labels.queue, value]))
  }
  const post = async (where: string, body: unknown): Promise<void> => {
    const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    const response = await fetch(`${front.url}/api/v1/${where}`, sent)
    expect([response.status, response.ok ? '' : await response.text()]).toEqual([expect.any(Number), ''])
  }

  it('grows old in the metrics of a node that takes none itself, until a worker comes', async () => {
    expect(await ages()).toEqual({ default: 0, functions: 0 })
    await post('workflow-definitions', { id: 'note', activities: [{ id: 'a', type: 'log', inputs: { message: 'a' } }] })
    await post('workflow-definitions/note/publish', {})
    await post('workflow-instances', { definitionId: 'note' })
    await post('workflow-instances', { definitionId: 'report' })
    await until('both have waited', async () => Object.values(await ages()).every((seconds) => seconds > 1), 60_000)
    const worker = await open({ nodeName: 'back', roles: ['worker'] }, [])
    await until('the graph was taken', async () => (await ages()).default === 0, 60_000)
    expect((await ages()).functions).toBeGreaterThan(2) // it has no code for them
    await open({ nodeName: 'coder', roles: ['worker'] })
    for (const node of [front, worker])
      await until('the function was taken', async () => (await ages(node)).functions === 0, 60_000)
  })
})
