import { seededRandom } from '@lockstep/base'
import { expect, it } from 'vitest'
import { selector } from './selection.ts'

const draw = (count: number, pick: ReturnType<typeof selector>, seed = 1): boolean[] => {
  const random = seededRandom(seed)
  return Array.from({ length: count }, () => pick(random))
}

it('skips, then strikes so many times, then rests', () => {
  expect(draw(5, selector({ skip: 1, times: 2 }))).toEqual([false, true, true, false, false])
})

it('strikes every time unless told otherwise', () => {
  expect(draw(3, selector({}))).toEqual([true, true, true])
})

it('strikes by chance, the same for the same seed', () => {
  const first = draw(200, selector({ chance: 0.3 }), 5)
  expect(draw(200, selector({ chance: 0.3 }), 5)).toEqual(first)
  const struck = first.filter(Boolean).length
  expect(struck).toBeGreaterThan(30)
  expect(struck).toBeLessThan(90)
})

it.each([{ skip: -1 }, { times: 0 }, { chance: 0 }, { chance: 1.5 }])('refuses %j', (selection) => {
  expect(() => selector(selection)).toThrow(/must be/)
})
