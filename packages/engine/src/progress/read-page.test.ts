import { expect, it } from 'vitest'
import type { PartStore } from '../store/part-store.ts'
import { readPage } from './read-page.ts'

/** An instance that has ended, with so many parts of so many characters. */
function openStore(count: number, characters: number) {
  const asked: number[] = []
  const all = Array.from({ length: count }, (_, index) => ({
    ...{ number: index + 1, step: 'a', stepNumber: index + 1, at: 0 },
    value: 'x'.repeat(characters),
  }))
  const read: PartStore['read'] = async (_tenant, instanceId, after, limit) => {
    asked.push(limit)
    if (instanceId !== 'one') return undefined
    return { parts: all.slice(after, after + limit), status: 'completed', ended: true }
  }
  const page = (after: number, limit: number, instanceId = 'one') =>
    readPage({ read }, 'default', instanceId, after, limit)
  return { page, asked }
}

it.each([
  [0, 100, 0, true],
  [7, 100, 7, true],
  [250, 100, 100, false],
  [250, 1_000, 250, true],
  [40, 40, 40, false],
])('of %i small parts and a limit of %i answers %i, in order', async (count, limit, expected, isLast) => {
  const { page, asked } = openStore(count, 5)
  const { parts, ended } = (await page(0, limit))!
  expect(parts.map(({ number }) => number)).toEqual(Array.from({ length: expected }, (_, index) => index + 1))
  expect(ended).toBe(isLast)
  expect(Math.max(...asked)).toBeLessThanOrEqual(20)
})

it('answers large parts page by page, and says that they ended with the last of them only', async () => {
  const { page } = openStore(90, 256 * 1024)
  const sizes: number[] = []
  for (let [after, ended] = [0, false]; !ended; ) {
    const found = (await page(after, 1_000))!
    sizes.push(found.parts.length)
    after = found.parts.at(-1)!.number
    ended = found.ended
  }
  expect(sizes).toEqual([20, 20, 20, 20, 10])
})

it('knows when there is no such instance', async () => {
  expect(await openStore(3, 5).page(0, 10, 'another')).toBeUndefined()
})
