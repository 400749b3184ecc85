import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { cloneDatabase } from '@lockstep/testing/harness'
import { type RunningNode, resolveNodeOptions, startNode, workflow } from 'lockstep'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { readEnvironment } from '../../packages/lockstep/src/options/read-environment.ts'
import { runIn } from '../cli/open-cli.ts'
import { codeBlocks, noteOf } from '../docs/code-blocks.ts'
import { until } from '../faults/until.ts'

const approval = workflow('approval', async (ctx) => {
  await ctx.sleep('300ms')
  return ctx.waitFor('approved')
})
const nodes = new Map<string, RunningNode>()
/** Ports as the page has them, and where the nodes are in truth. */
const addresses = new Map<string, string>()
let database: Awaited<ReturnType<typeof cloneDatabase>>
beforeAll(async () => {
  database = await cloneDatabase(inject('postgres'))
})
afterAll(async () => {
  for (const node of nodes.values()) await node.stop()
  await database?.drop()
})

/** One line of the page, as a shell would understand it. */
async function follow(line: string): Promise<string> {
  const assigned = Object.fromEntries(
    [...line.matchAll(/(LOCKSTEP_\w+)=(\S+)/g)].map(([, name, value]) => [name!, value!]),
  )
  if (line.startsWith('export ')) return ''
  if (line.endsWith(' lockstep server')) {
    const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
    const raw = { ...readEnvironment(assigned), databaseUrl: database.url, port: 0 }
    const node = await startNode(resolveNodeOptions(raw), edge, { workflows: [approval], activities: [], jobs: [] })
    nodes.set(assigned.LOCKSTEP_NODE_NAME!, node)
    addresses.set(`http://127.0.0.1:${assigned.LOCKSTEP_PORT}`, node.url)
    return ''
  }
  const killed = /^kill -TERM \$(NODE_\d)$/.exec(line)?.[1]?.toLowerCase().replace('_', '-')
  if (killed !== undefined) {
    await nodes.get(killed)!.stop()
    nodes.delete(killed)
    return ''
  }
  const [name, ...words] = line.split(' ').map((word) => addresses.get(word) ?? word)
  expect(name).toBe('lockstep')
  const ran = await runIn('.', {}, words, { pauses: 1_000 })
  expect([line, ran.code, ran.code === 0 ? '' : ran.err + ran.out]).toEqual([line, 0, ''])
  return ran.out + ran.err
}

describe('from one node to three and back', () => {
  it('does what the page says, and what was begun on one node ends after all of it', async () => {
    const ids: string[] = []
    const post = async (node: RunningNode, path: string, body: object) => {
      const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
      return (await (await fetch(`${node.url}/api/v1${path}`, sent)).json()) as { id: string; outcome?: string }
    }
    for (const block of codeBlocks('docs/how-to/grow-to-three-nodes.md')) {
      const outputs: string[] = []
      for (const line of block.code.trim().split('\n')) outputs.push(await follow(line))
      const wanted = noteOf(block, 'expect')
      if (wanted !== undefined) expect(outputs.join('\n')).toContain(wanted)
      if (block.code.includes('lockstep server'))
        for (const node of nodes.values())
          ids.push((await post(node, '/workflow-instances', { definitionId: 'approval' })).id)
    }
    expect([...nodes.keys()]).toEqual(['node-1'])
    expect(ids.length).toBe(4)
    const [last] = nodes.values()
    for (const id of ids) {
      await until('it can be resumed', async () => {
        const { outcome } = await post(last!, `/workflow-instances/${id}/resume`, { bookmark: 'approved', payload: id })
        return outcome === 'resumed'
      })
      const ended = await fetch(`${last!.url}/api/v1/workflow-instances/${id}?wait=60s`)
      expect(await ended.json()).toMatchObject({ status: 'completed', output: id })
    }
  })
})
