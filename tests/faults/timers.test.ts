/** Timers over two nodes, one of which dies. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Started } from './instance-view.ts'
import { countOf, TestBed, type TestSite } from './test-bed.ts'
import type { TestNode } from './test-node.ts'
import { until } from './until.ts'

let bed: TestBed
beforeAll(async () => {
  bed = await TestBed.open()
})
afterAll(() => bed?.stop())

async function startTimers(node: TestNode, count: number, ms: (n: number) => number): Promise<string[]> {
  const requests = Array.from({ length: count }, (_, n) => ({ definitionId: 'timer', input: { ms: ms(n) } }))
  return (await node.call<Started[]>('startMany', { requests })).map((each) => each.instanceId)
}

const completedCount = async (site: TestSite): Promise<number> =>
  (await site.rows<{ count: number }>(`select count(*)::int4 as count from instance where status = 'completed'`))[0]!
    .count

it('P2: each of 1,000 timers over two nodes fires once although one node is killed meanwhile', async () => {
  await using site = await bed.site()
  const [a, b] = await Promise.all([site.node({ name: 'a' }), site.node({ name: 'b' })])
  const count = countOf('LOCKSTEP_FAULTS_TIMERS', 1_000)
  // Short ones stay in the hand of the node that began them, long ones wait in the agenda.
  const ids = [
    ...(await startTimers(a, count / 2, (n) => 500 + ((n * 37) % 5_000))),
    ...(await startTimers(b, count / 2, (n) => 500 + ((n * 41) % 5_000))),
  ]
  await until('some have fired', async () => (await completedCount(site)) > count / 20)
  await a.kill9()
  const firedBefore = await completedCount(site)
  expect(firedBefore).toBeLessThan(count)
  await until('all have fired', async () => (await completedCount(site)) === count)
  expect(await site.rows(`select 1 from journal where kind = 'completed' and data ->> 'by' = 'timer'`)).toHaveLength(
    count,
  )
  expect(new Set(ids).size).toBe(count)
  const killed = a.incarnations.at(-1)
  expect(b.logged('buried a silent node').filter(({ fields }) => fields?.nodeId === killed)).toHaveLength(1)
  expect(await site.violations()).toEqual([])
})

it('P2: a timer fires once although its owner was killed with the timer in hand', async () => {
  await using site = await bed.site()
  const a = await site.node({ name: 'a' })
  // In hand, and due when its owner has been missed: nobody is so slow that it fires them itself.
  const ids = await startTimers(a, 20, () => 4_000)
  await a.kill9()
  const b = await site.node({ name: 'b' })
  await until('all have fired', async () => (await completedCount(site)) === ids.length)
  await until('its owner was buried', () => b.logged('buried a silent node').length > 0)
  expect(await site.violations()).toEqual([])
})
