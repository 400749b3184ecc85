/** Effects that must not run twice: an unclear outcome is for a person to settle. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { endOf, start, view } from './instance-view.ts'
import { TestBed } from './test-bed.ts'
import { until } from './until.ts'

let bed: TestBed
beforeAll(async () => {
  bed = await TestBed.open()
})
afterAll(() => bed?.stop())

it('P5: a person is asked once about an unclear outcome, however often the instance moves, and the answer ends it', async () => {
  await using site = await bed.site()
  const a = await site.node({ name: 'a' })
  const id = await start(a, 'gated-once', { at: 'a', gate: 'g' })
  await a.atGate('g')
  await a.kill9()
  const incidents = (): Promise<unknown[]> => site.rows(`select 1 from incident where code = 'OUTCOME_UNKNOWN'`)
  const b = await site.node({ name: 'b' })
  await until('a person was asked', async () => (await incidents()).length > 0)
  await until('it waits', async () => (await view(b, id)).status === 'suspended')
  await b.kill9()
  const c = await site.node({ name: 'c' })
  expect(await c.call('resume', { instanceId: id, bookmark: 'charge', payload: 'it had happened' })).toBe('resumed')
  expect(await endOf(c, id)).toMatchObject({ status: 'completed', output: 'it had happened' })
  expect(site.effects().filter((effect) => effect.step === 'charge')).toHaveLength(1)
  expect(await incidents()).toHaveLength(1)
  expect(await site.rows(`select 1 from journal where kind = 'waiting' and data ->> 'step' = 'charge'`)).toHaveLength(1)
  expect(await site.violations()).toEqual([])
})
