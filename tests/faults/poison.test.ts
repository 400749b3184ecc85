/** Instances that end the process that runs them, and those that stood beside them. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { endOf, start, view, waitsFor } from './instance-view.ts'
import { TestBed } from './test-bed.ts'
import { until } from './until.ts'

let bed: TestBed
beforeAll(async () => {
  bed = await TestBed.open()
})
afterAll(() => bed?.stop())

it('P8: a poison instance takes down at most 3 processes, and those beside it complete', {
  timeout: 240_000,
}, async () => {
  await using site = await bed.site()
  let node = await site.node({ name: 'n1' })
  const innocents = await Promise.all(
    Array.from({ length: 10 }, () => start(node, 'innocent', { turns: 4, pauseMs: 100 })),
  )
  const poison = await start(node, 'poison', {})
  let deaths = 0
  await until(
    'it is quarantined',
    async () => {
      if (node.isOver) {
        deaths += 1
        node = await site.node({ name: `n${deaths + 1}` })
      }
      const rows = await site.rows<{ status: string }>('select status from instance where id = $1', poison)
      return rows[0]!.status === 'quarantined'
    },
    120_000,
  )
  expect(deaths).toBeGreaterThan(0)
  expect(deaths).toBeLessThanOrEqual(3)
  expect(site.effects().filter((effect) => effect.step === 'fatal')).toHaveLength(deaths)
  for (const id of innocents) expect(await endOf(node, id)).toMatchObject({ status: 'completed', output: 'innocent' })
  expect((await view(node, poison)).incidents.map((each) => each.code)).toEqual(['QUARANTINED'])
  expect(await site.violations()).toEqual([])
})

it('P7: an instance whose owner died does not hold up the others while its own step takes long', async () => {
  await using site = await bed.site()
  const a = await site.node({ name: 'a' })
  for (const n of [1, 2, 3]) await start(a, 'gated', { at: ['a', 'b'], gate: `g${n}` })
  for (const n of [1, 2, 3]) await a.atGate(`g${n}`)
  const waiting = await start(a, 'waiter', { turns: 1 })
  await waitsFor(a, waiting, 'go')
  await a.kill9()
  const b = await site.node({ name: 'b' })
  await until('it has taken over', () => b.logged('buried a silent node').length > 0)
  // Nobody opens the gates: each of the three would stand there for as long as its step takes.
  expect(await b.call('resume', { instanceId: waiting, bookmark: 'go', payload: 1 })).toBe('resumed')
  expect(await endOf(b, waiting)).toMatchObject({ status: 'completed' })
  await until('all three go on side by side', async () => {
    for (const n of [1, 2, 3]) await b.call('openGate', { name: `g${n}` })
    return site.effects().filter((effect) => effect.step === 'stand' && effect.node === 'b').length === 3
  })
})
