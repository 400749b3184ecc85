/** The database server itself is killed and comes back. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { endOf, type Started } from './instance-view.ts'
import { countOf, TestBed } from './test-bed.ts'
import type { TestNode } from './test-node.ts'
import { until } from './until.ts'

let bed: TestBed
beforeAll(async () => {
  bed = await TestBed.open({ durable: true })
})
afterAll(() => bed?.stop())

it('P1: nothing acknowledged is lost when PostgreSQL is killed under load, and the nodes recover by themselves', async () => {
  await using site = await bed.site()
  const [a, b] = await Promise.all([site.node({ name: 'a' }), site.node({ name: 'b' })])
  const acknowledged = { started: [] as string[], resumed: new Set<string>() }
  let stop = false
  const load = async (node: TestNode): Promise<void> => {
    while (!stop) {
      const requests = [
        { definitionId: 'quick', input: { n: 1 } },
        { definitionId: 'waiter', input: { turns: 1 } },
        { definitionId: 'timer', input: { ms: 700 } },
      ]
      // What fails or is never answered was not acknowledged.
      const started = await node.call<Started[]>('startMany', { requests }).catch(() => [])
      acknowledged.started.push(...started.map((each) => each.instanceId))
      const waiter = started[1]?.instanceId
      if (waiter === undefined) continue
      const said = await node
        .call('resume', { instanceId: waiter, bookmark: 'go', payload: 'x' })
        .catch(() => 'unknown')
      if (said === 'resumed') acknowledged.resumed.add(waiter)
    }
  }
  const loads = [load(a), load(b)]
  const kills = countOf('LOCKSTEP_FAULTS_SERVER_KILLS', 2)
  for (let kill = 0; kill < kills; kill += 1) {
    const before = acknowledged.started.length
    await until('work goes on', () => acknowledged.started.length > before + 30)
    await bed.server.kill9()
    await bed.server.start()
  }
  const before = acknowledged.started.length
  await until('work goes on', () => acknowledged.started.length > before + 30)
  stop = true
  await Promise.all(loads)

  const known = new Set((await site.rows<{ id: string }>('select id from instance')).map((row) => row.id))
  expect(acknowledged.started.filter((id) => !known.has(id))).toEqual([])
  // A waiter whose resume was never answered is resumed again; what had been applied says so.
  for (const { id } of await site.rows<{ id: string }>(
    `select i.id from instance i join bookmark k on k.instance_id = i.id where i.definition_id = 'waiter'`,
  )) {
    expect(acknowledged.resumed).not.toContain(id)
    await a.call('resume', { instanceId: id, bookmark: 'go', payload: 'x' })
  }
  const left = async (): Promise<unknown[]> =>
    site.rows(`select i.definition_id, i.status, a.claimed_by, a.stim, a.due_at <= clock_timestamp() as due
                 from instance i left join agenda a on a.instance_id = i.id where i.finished_at is null`)
  await until('everything has ended', async () => (await left()).length === 0).catch(() => undefined)
  expect(await left()).toEqual([])
  const failed = await site.rows(`
    select i.definition_id, i.status, j.data -> 'error' as error from instance i
      join journal j on j.instance_id = i.id and j.seq = i.last_seq where i.status <> 'completed'`)
  expect(failed).toEqual([])
  expect(acknowledged.resumed.size).toBeGreaterThan(10)
  expect((await endOf(a, acknowledged.started[0]!))?.status).toBe('completed')
  expect(await site.violations()).toEqual([])
}, 300_000)
