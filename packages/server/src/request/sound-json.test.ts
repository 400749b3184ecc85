import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BODY_LIMITS, checkSound, DOCUMENT_LIMITS } from './sound-json.ts'

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
    const { members } = BODY_LIMITS
    const objects = (count: number) => JSON.stringify(Array.from({ length: count }, () => ({ ab: 'x' })))
    expect(check(objects(members))).not.toThrow()
    expect(check(objects(members + 1))).toThrow(`more than the ${members} members`)
    expect(check(JSON.stringify(':'.repeat(4 * members)))).not.toThrow()
    expect(check(JSON.stringify({ [`"${':'.repeat(4 * members)}\\"`]: '\\":' }))).not.toThrow()
  })

  it('refuses what is nested deeper than it may be, and nothing shallower', () => {
    const { depth } = BODY_LIMITS
    expect(check(nested(depth))).not.toThrow()
    expect(check(nested(depth + 1))).toThrow(`more than the ${depth} levels`)
    expect(check(nested(200_000))).toThrow(`more than the ${depth} levels`)
    expect(check(JSON.stringify([']'.repeat(200), JSON.parse(nested(depth - 1))]))).not.toThrow()
    expect(check(JSON.stringify([']'.repeat(200), JSON.parse(nested(depth))]))).toThrow(/levels/)
  })

  it('takes more of what is a whole workflow, and not without end either', () => {
    const whole = (text: string) => () => checkSound(text, JSON.parse(text), DOCUMENT_LIMITS)
    expect(whole(nested(DOCUMENT_LIMITS.depth))).not.toThrow()
    expect(whole(nested(DOCUMENT_LIMITS.depth + 1))).toThrow('more than the 400 levels')
  })

  it('says which limit was passed, and where', () => {
    const small = { depth: 4, members: 6 }
    const fault = (value: unknown): unknown => {
      try {
        checkSound(JSON.stringify(value), value, small)
      } catch (error) {
        return (error as { readonly details: unknown }).details
      }
      return undefined
    }
    expect(fault({ a: [1, { 'b/c': [[2]] }] })).toEqual({ what: 'levels', limit: 4, pointer: '/a/1/b~1c/0' })
    expect(fault({ a: { x: 1, y: 2 }, b: [{ x: 1, y: 2, z: 3 }] })).toEqual({
      ...{ what: 'members', limit: 6, pointer: '/b/0' },
    })
    const long = fault({ [`x${'y'.repeat(5_000)}`]: [[[[]]]] }) as { readonly pointer: string }
    expect(long.pointer.length).toBeLessThan(220)
  })

  it('counts what a walk through the value counts, whatever the text is', () => {
    const depthOf = (value: unknown): number =>
      typeof value !== 'object' || value === null ? 0 : 1 + Math.max(0, ...Object.values(value).map(depthOf))
    const membersOf = (value: unknown): number =>
      typeof value !== 'object' || value === null
        ? 0
        : Object.values(value).reduce<number>(
            (sum, each) => sum + membersOf(each),
            Array.isArray(value) ? 0 : Object.keys(value).length,
          )
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = JSON.stringify(value)
        if (/\\u(0000|d[89a-f])/.test(text)) return
        const [depth, members] = [depthOf(value), membersOf(value)]
        expect(() => checkSound(text, value, { depth, members })).not.toThrow()
        if (depth > 1) expect(() => checkSound(text, value, { depth: depth - 1, members })).toThrow(/levels/)
        if (members > 1) expect(() => checkSound(text, value, { depth, members: members - 1 })).toThrow(/members/)
      }),
    )
  })
})
