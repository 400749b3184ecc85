import { describe, expect, it } from 'vitest'
import { seededRandom } from '../index.ts'

describe('seeded random', () => {
  it('repeats itself for a seed and differs between seeds', () => {
    const draw = (seed: number): number[] => Array.from({ length: 100 }, seededRandom(seed).next)
    expect(draw(7)).toEqual(draw(7))
    expect(draw(7)).not.toEqual(draw(8))
  })

  it('spreads evenly enough to be of use', () => {
    const random = seededRandom(1)
    const counts = new Array<number>(10).fill(0)
    for (let i = 0; i < 100_000; i += 1) counts[Math.floor(random.next() * 10)]! += 1
    expect(Math.min(...counts)).toBeGreaterThan(9_000)
    expect(Math.max(...counts)).toBeLessThan(11_000)
  })
})
