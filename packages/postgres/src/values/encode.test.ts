import { describe, expect, it } from 'vitest'
import { encodeParameter } from './encode.ts'

describe('a parameter', () => {
  it('goes over the wire as text, bytes or nothing', () => {
    expect([1, -0.5, 10n, true, 'x', null, undefined].map(encodeParameter)).toEqual([
      '1',
      '-0.5',
      '10',
      'true',
      'x',
      null,
      null,
    ])
    expect(encodeParameter(new Date(0))).toBe('1970-01-01T00:00:00.000Z')
    const bytes = Uint8Array.from([1])
    expect(encodeParameter(bytes)).toBe(bytes)
  })

  it('that is a list becomes an array literal', () => {
    expect(encodeParameter([])).toBe('{}')
    expect(encodeParameter([1, null, undefined, true])).toBe('{1,null,null,true}')
    expect(encodeParameter([1n, null, Number.NaN])).toBe('{"1",NULL,"NaN"}')
    expect(encodeParameter(['a', 'say "hi"', 'back\\slash', 'NULL', ''])).toBe(
      '{"a","say \\"hi\\"","back\\\\slash","NULL",""}',
    )
    expect(encodeParameter(['tab\t"', 'x'])).toBe('{"tab\t\\"","x"}')
    expect(encodeParameter([[1, 2], [3]])).toBe('{{1,2},{3}}')
    expect(encodeParameter([Uint8Array.from([255, 0])])).toBe('{"\\\\xff00"}')
  })

  it('that is an object is refused: JSON goes in as text', () => {
    expect(() => encodeParameter({})).toThrow(/JSON goes in as text/)
    expect(() => encodeParameter([{}])).toThrow(/JSON goes in as text/)
    expect(() => encodeParameter(Symbol('x'))).toThrow(/parameter/)
  })
})
