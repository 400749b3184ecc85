import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeArray } from './decode-array.ts'
import { decodeInstant } from './decode-instant.ts'
import { encodeParameter } from './encode.ts'

describe('an array', () => {
  it('of any texts comes back as it was encoded', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (values) => {
        expect(decodeArray(encodeParameter(values) as string, (text) => text)).toEqual(values)
      }),
    )
  })

  it('of arrays comes back nested', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.string(), { minLength: 1 }), { minLength: 1 }), (values) => {
        expect(decodeArray(encodeParameter(values) as string, (text) => text)).toEqual(values)
      }),
    )
  })

  it('tells the word NULL from nothing, and skips bounds', () => {
    expect(decodeArray('{NULL,"NULL",null}', (text) => text)).toEqual([null, 'NULL', 'null'])
    expect(decodeArray('[0:1]={1,2}', Number)).toEqual([1, 2])
    expect(decodeArray('[0:0]={"a,b"}', String)).toEqual(['a,b'])
  })
})

describe('an instant', () => {
  it('is read as JavaScript would, to the millisecond', () => {
    const early = Date.UTC(100, 0, 1)
    fc.assert(
      fc.property(fc.integer({ min: early, max: Date.UTC(9999, 11, 31) }), (at) => {
        const text = new Date(at).toISOString().replace('T', ' ').replace('Z', '')
        expect(decodeInstant(`${text}+00`)).toBe(at)
        expect(decodeInstant(`${text}999+00`)).toBe(at)
      }),
    )
  })

  it('is read with any offset, in any age', () => {
    expect(decodeInstant('2024-02-29 12:00:00+02')).toBe(Date.UTC(2024, 1, 29, 10))
    expect(decodeInstant('2024-02-29 12:00:00.5-03:30')).toBe(Date.UTC(2024, 1, 29, 15, 30, 0, 500))
    expect(decodeInstant('0001-01-01 00:00:00+00')).toBe(Date.parse('0001-01-01T00:00:00Z'))
    expect(decodeInstant('0001-12-31 00:00:00+00 BC')).toBe(Date.parse('0000-12-31T00:00:00Z'))
    expect(decodeInstant('12024-01-01 00:00:00+00')).toBe(Date.UTC(12024, 0, 1))
    expect(decodeInstant('infinity')).toBe(Number.POSITIVE_INFINITY)
    expect(decodeInstant('-infinity')).toBe(Number.NEGATIVE_INFINITY)
  })
})
