import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, hashJson, type Json, NotJson, toJson } from '../index.ts'

/** The same value with every object built in another order. */
function shuffled(value: Json): Json {
  if (Array.isArray(value)) return value.map(shuffled)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, shuffled(member)]),
  )
}

describe('canonical JSON', () => {
  it('does not depend on the order in which members were added', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = toJson(value)
        expect(canonicalJson(shuffled(json))).toBe(canonicalJson(json))
        expect(hashJson(shuffled(json))).toBe(hashJson(json))
      }),
    )
  })

  it('is JSON of the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(toJson(value)))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('sorts by UTF-16 code unit and writes numbers as RFC 8785 does', () => {
    expect(canonicalJson({ '€': 1, '\r': 2, '1': 3, '😀': 4, ö: 5 })).toBe('{"\\r":2,"1":3,"ö":5,"€":1,"😀":4}')
    expect(canonicalJson([333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001])).toBe(
      '[333333333.3333333,1e+30,4.5,0.002,1e-27]',
    )
  })
})

describe('toJson', () => {
  it('names the place of the first value that JSON would lose', () => {
    const at = (value: unknown): string => {
      try {
        toJson(value)
      } catch (error) {
        if (NotJson.is(error)) return `${error.details.pointer} ${error.details.found}`
        throw error
      }
      return 'fine'
    }
    expect(at({ a: [1, { 'b/c': () => 1 }] })).toBe('/a/1/b~1c a function')
    let deep: unknown = 1
    for (let level = 0; level < 20_000; level += 1) deep = [deep]
    expect(at(deep)).toContain('nested more than 500 deep')
    expect(at([Number.NaN])).toBe('/0 NaN')
    expect(at({ big: 1n })).toBe('/big a bigint')
    const round: Record<string, unknown> = {}
    round.self = { round }
    expect(at(round)).toContain('/self/round')
  })

  it('drops undefined members, writes dates as text and copies everything else', () => {
    const input = { a: undefined, when: new Date(0), list: [undefined, 1], nested: { deep: true } }
    const copy = toJson(input)
    expect(copy).toEqual({ when: '1970-01-01T00:00:00.000Z', list: [null, 1], nested: { deep: true } })
    expect((copy as { nested: object }).nested).not.toBe(input.nested)
  })

  it('keeps a member called __proto__ a member', () => {
    const copy = toJson(JSON.parse('{"__proto__": {"polluted": true}}'))
    expect(Object.hasOwn(copy as object, '__proto__')).toBe(true)
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
  })
})
