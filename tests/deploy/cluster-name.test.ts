import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { type ClonedDatabase, cloneDatabase, runPsql } from '@lockstep/testing/harness'
import { type RawOptions, type RunningNode, resolveNodeOptions, startNode } from 'lockstep'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'

let database: ClonedDatabase
const nodes: RunningNode[] = []
beforeEach(async () => {
  database = await cloneDatabase(inject('postgres'))
})
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop()
  await database.drop()
})

async function start(options: RawOptions = {}): Promise<RunningNode> {
  const resolved = resolveNodeOptions({ port: 0, databaseUrl: database.url, ...options })
  const node = await startNode(resolved, { clock: systemClock, random: systemRandom, logger: silentLogger })
  nodes.push(node)
  return node
}

describe('a database', () => {
  it('belongs to the cluster of the first node that opened it', async () => {
    const { url } = await start({ clusterName: 'orders' })
    expect(await (await fetch(`${url}/api/v1/cluster/nodes`)).json()).toMatchObject({ cluster: 'orders' })
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('lockstep_node_info{cluster="orders",version="')
    await expect(start()).rejects.toMatchObject({
      code: 'CLUSTER_NAME_MISMATCH',
      details: { name: 'lockstep', found: 'orders' },
      message: expect.stringContaining('Set LOCKSTEP_CLUSTER_NAME=orders'),
    })
    await expect(start({ clusterName: 'orders' })).resolves.toBeDefined()
  })

  it('gets no more connections than the pool has, and two', async () => {
    const { url } = await start({ databasePool: 5 })
    await Promise.all(Array.from({ length: 60 }, () => fetch(`${url}/api/v1/workflow-instances`)))
    const counted = `select count(*) from pg_stat_activity where application_name like 'lockstep:%' and datname = '${database.name}';`
    const [count] = await runPsql(inject('postgres').adminUrl, 'counting connections', counted)
    expect(Number(count)).toBeGreaterThanOrEqual(3)
    expect(Number(count)).toBeLessThanOrEqual(7)
  })
})
