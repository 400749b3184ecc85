import { describe, expect, it } from 'vitest'
import { parseDuration, shortDuration } from '../index.ts'

describe('shortDuration', () => {
  it.each([
    [0, '0ms'],
    [20, '20ms'],
    [1_000, '1s'],
    [1_500, '1500ms'],
    [60_000, '1m'],
    [90_000, '90s'],
    [7_200_000, '2h'],
    [604_800_000, '7d'],
  ])('writes %d ms as %s, which is read as the same', (ms, text) => {
    expect(shortDuration(ms)).toBe(text)
    expect(parseDuration(text)).toBe(ms)
  })
})
