import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MOST_NUMBERS, rangeOf } from './number-range.ts'

const numbers = (inputs: Parameters<typeof rangeOf>[0]): number[] | string => {
  const range = rangeOf(inputs)
  if ('problem' in range) return range.problem
  return Array.from({ length: range.count }, (_, n) => range.start + n * range.step)
}

describe('the numbers of a for', () => {
  it.each([
    [{ end: 3 }, [0, 1, 2, 3]],
    [{ end: 3, inclusive: false }, [0, 1, 2]],
    [{ start: 1, end: 0 }, []],
    [{ start: 1, end: 1 }, [1]],
    [{ start: 1, end: 1, inclusive: false }, []],
    [{ start: 5, end: 1, step: -2 }, [5, 3, 1]],
    [{ start: 5, end: 1, step: -2, inclusive: false }, [5, 3]],
    [{ start: 5, end: 2, step: -2 }, [5, 3]],
    [{ end: 0.75, step: 0.25 }, [0, 0.25, 0.5, 0.75]],
  ])('%j are %j', (inputs, expected) => {
    expect(numbers(inputs)).toEqual(expected)
  })

  it('reach an end that a sum of fractions misses', () => {
    expect(numbers({ end: 1, step: 0.1 })).toHaveLength(11)
    expect(numbers({ end: 1, step: 0.1, inclusive: false })).toHaveLength(10)
  })

  it.each([
    ['a step of nothing', { end: 3, step: 0 }, 'never end'],
    ['a step that leads away, down', { end: 3, step: -1 }, 'change its sign'],
    ['a step that leads away, up', { start: 3, end: 0, step: 1 }, 'change its sign'],
    ['too many', { end: MOST_NUMBERS + 1 }, 'turns'],
    ['a step that is lost in rounding', { start: 1e16, end: 1e16 + 100, step: 0.5 }, 'too small'],
  ])('are none with %s', (_, inputs, text) => {
    expect(numbers(inputs)).toContain(text)
  })

  it('are always finite, in order, and within their ends', () => {
    const number = fc.integer({ min: -1_000, max: 1_000 })
    fc.assert(
      fc.property(number, number, number, fc.boolean(), (start, end, step, inclusive) => {
        const all = numbers({ start, end, step, inclusive })
        expect(typeof all === 'string').toBe(step === 0 || (end - start) * step < 0)
        if (typeof all === 'string') return
        for (const [n, value] of all.entries()) {
          expect(value).toBe(start + n * step)
          expect(step > 0 ? value <= end : value >= end).toBe(true)
        }
        expect(all.includes(end)).toBe(inclusive && Math.abs((end - start) % step) === 0)
      }),
    )
  })
})
