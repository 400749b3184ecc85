import { describe, expect, it } from 'vitest'
import { clockText, durationText, relativeText, shortId } from './time-text.ts'

describe('times as people read them', () => {
  it.each([
    [0, '0 ms'],
    [340, '340 ms'],
    [999, '999 ms'],
    [4_270, '4.2 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [192_000, '3 min 12 s'],
    [7_500_000, '2 h 5 min'],
    [273_600_000, '3 d 4 h'],
    [-5, '0 ms'],
  ])('%d ms is %s', (ms, text) => expect(durationText(ms)).toBe(text))

  it('says when, from now', () => {
    expect(relativeText(1_000, 1_500)).toBe('just now')
    expect(relativeText(0, 12_000)).toBe('12 s ago')
    expect(relativeText(200_000, 0)).toBe('in 3 min')
    expect(relativeText(0, 90_000_000)).toBe('1 d ago')
  })

  it('counts down without ever showing zero too early', () => {
    expect(clockText(751_000)).toBe('00:12:31')
    expect(clockText(1)).toBe('00:00:01')
    expect(clockText(-1)).toBe('00:00:00')
  })

  it('shortens ids in the middle', () => {
    expect(shortId('wfi_01a1e261-07f6-70ba-87ce-2882458790e6')).toBe('wfi_01a1…8790e6')
    expect(shortId('order')).toBe('order')
  })
})
