import { describe, expect, it } from 'vitest'
import { InvalidDuration, parseDuration } from '../index.ts'

describe('parseDuration', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['7d', 604_800_000],
    ['1.5s', 1_500],
    [' 10s ', 10_000],
    ['PT15M', 900_000],
    ['P1DT2H', 93_600_000],
    ['P2W', 1_209_600_000],
    ['PT0.25S', 250],
    [1_234, 1_234],
    [0, 0],
  ])('reads %s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })

  it.each(['', '5', 'soon', '-5s', '5 minutes', 'P', 'PT', 'P1Y', 'P1M', '1e3s', '9999999d', 'NaN', '5s5s'])(
    'refuses "%s" with a typed error',
    (text) => {
      expect(() => parseDuration(text)).toThrow(InvalidDuration)
    },
  )

  it('says why months are refused', () => {
    expect(() => parseDuration('P1M')).toThrow(/no fixed length, use days/)
    expect(() => parseDuration(-1)).toThrow(/negative/)
    expect(() => parseDuration(Number.POSITIVE_INFINITY)).toThrow(InvalidDuration)
  })
})
