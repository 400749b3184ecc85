import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkSound, DEEPEST, MOST_MEMBERS } from './sound-json.ts'

const check = (text: string) => () => checkSound(text, JSON.parse(text))
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

describe('sound JSON', () => {
  it('lets every value through that can be kept', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
        const text = JSON.stringify(value)
        if (!text.includes('\\u0000')) expect(check(text)).not.toThrow()
      }),
    )
  })

  it('is not taken in by text that only looks like an escape or a bracket', () => {
    expect(check('"\\\\u0000"')).not.toThrow()
    expect(check('"\\ud83d\\ude00"')).not.toThrow()
    expect(check(JSON.stringify('['.repeat(10_000)))).not.toThrow()
    expect(check(JSON.stringify(Array.from({ length: 2_000 }, () => [])))).not.toThrow()
  })

  it('refuses U+0000 and lone surrogates wherever they stand', () => {
    for (const text of ['"\\u0000"', '{"\\u0000":1}', '[[{"a":"x\\u0000"}]]', '"\\ud800"', '{"a":"\\uDC00b"}']) {
      expect(check(text)).toThrow(/U\+0000/)
    }
  })

  it('refuses more members than it may have in all, and is not taken in by colons in text', () => {
    const objects = (count: number) => JSON.stringify(Array.from({ length: count }, () => ({ ab: 'x' })))
    expect(check(objects(MOST_MEMBERS))).not.toThrow()
    expect(check(objects(MOST_MEMBERS + 1))).toThrow(/more than 50000 members/)
    expect(check(JSON.stringify(':'.repeat(4 * MOST_MEMBERS)))).not.toThrow()
  })

  it('refuses what is nested deeper than it may be, and nothing shallower', () => {
    expect(check(nested(DEEPEST))).not.toThrow()
    expect(check(nested(DEEPEST + 1))).toThrow(/nested deeper/)
    expect(check(nested(200_000))).toThrow(/nested deeper/)
  })
})
