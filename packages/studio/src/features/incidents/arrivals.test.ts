import { describe, expect, it } from 'vitest'
import { arrivals, arrivalsText, beganText, spanText } from './arrivals.ts'

const from = '2026-11-17T10:00:00Z'
const counts = (...last: readonly number[]): number[] => [...new Array<number>(24 - last.length).fill(0), ...last]

describe('when incidents that are alike came', () => {
  it('is bars as high as the highest allows, each with its time', () => {
    const bars = arrivals({ from, slotMs: 150_000, counts: counts(1, 0, 4) })
    expect(bars).toHaveLength(24)
    expect(bars[0]).toEqual({ from: Date.parse(from), count: 0, share: 0 })
    expect(bars.slice(-3).map(({ share }) => share)).toEqual([0.25, 0, 1])
    expect(bars[1]!.from - bars[0]!.from).toBe(150_000)
  })

  it.each([
    [150_000, 'last hour'],
    [3_600_000, 'last day'],
    [25_200_000, 'last 7 days'],
  ])('covers slots of %i ms as the %s', (slotMs, text) => {
    expect(spanText({ from, slotMs, counts: counts() })).toBe(text)
  })

  it.each([
    [counts(), 'None of them came in the last hour'],
    [counts(3), '3 came in the last hour, all just now'],
    [counts(3, 0), '3 came in the last hour, all at one time'],
    [counts(1, 0, 1200), '1,201 came in the last hour, at 2 of 24 times, most at once 1200'],
  ])('is said in words', (came, text) => {
    expect(arrivalsText({ from, slotMs: 150_000, counts: came })).toBe(text)
  })
})

describe('the version that incidents began with', () => {
  it('is named only where one before ran without them', () => {
    expect(beganText({ firstVersion: 3, cleanVersion: 2 })).toBe('Began with version 3: version 2 ran without it')
    expect(beganText({ firstVersion: 3, cleanVersion: null })).toBeUndefined()
    expect(beganText({ firstVersion: null, cleanVersion: 1 })).toBeUndefined()
    expect(beganText({ firstVersion: 3 })).toBeUndefined()
  })
})
