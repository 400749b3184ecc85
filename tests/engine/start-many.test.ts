import { workflow } from '@lockstep/engine'
import { expect, it } from 'vitest'
import { openTestEngine } from './open-test-engine.ts'

const echo = workflow('echo', async (_ctx, input: { readonly n: number }) => input.n)

it.each([3, 1_200])('%i starts at once are answered in order, and each runs once', async (count) => {
  await using t = await openTestEngine({ workflows: [echo as never] })
  const requests = Array.from({ length: count }, (_, n) => ({ definitionId: 'echo', input: { n } }))
  const started = await t.engine.startMany(requests)
  const ends = await Promise.all(started.map(({ instanceId }) => t.engine.waitForEnd(instanceId, { limitMs: 100_000 })))
  expect(ends.map((end) => end?.output)).toEqual(requests.map(({ input }) => input.n))
  expect(new Set(started.map(({ instanceId }) => instanceId)).size).toBe(count)
})

it.each([10, 600])('%i starts of which one cannot be: all are refused before one is written', async (count) => {
  await using t = await openTestEngine({ workflows: [echo as never] })
  const requests = Array.from({ length: count }, (_, n) => ({
    definitionId: n === count - 1 ? 'nobody' : 'echo',
    input: { n },
  }))
  await expect(t.engine.startMany(requests)).rejects.toMatchObject({ code: 'DEFINITION_NOT_FOUND' })
  expect(await t.engine.list({ definitionId: 'echo' }, 10)).toEqual([])
})
