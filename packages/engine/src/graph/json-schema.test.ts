import { describe, expect, it } from 'vitest'
import { INSTANT_FORMAT } from '../activity/input-schema.ts'
import { compileSchema } from './json-schema.ts'

describe('an instant', () => {
  const fits = compileSchema({ type: 'string', format: INSTANT_FORMAT })

  it.each(['2026-03-29T01:00:00Z', '2026-03-29T01:00:00.123+02:00'])('is %s', (text) => {
    expect(fits(text)).toBe(true)
  })

  it.each(['2026-03-29', '2026-03-29T01:00:00', 'T'.repeat(1_000_000)])('is not %.20s', (text) => {
    expect(fits(text)).toBe(false)
  })
})

describe('a list without duplicates', () => {
  const fits = compileSchema({ type: 'array', uniqueItems: true })

  it('is told from one with them, whatever they are', () => {
    expect([[], [1, '1', true, null], [{ a: 1 }, { a: 2 }, [1]]].map((list) => fits(list))).toEqual([true, true, true])
    expect(
      [
        [1, 1],
        ['a', 'b', 'a'],
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
        [[], []],
      ].map((list) => fits(list)),
    ).toEqual([...[false, false, false, false]])
    expect(fits.errors?.[0]).toMatchObject({ keyword: 'uniqueItems', message: 'must NOT have duplicate items' })
    expect(compileSchema({ uniqueItems: false })([1, 1])).toBe(true)
  })

  it('is told however long it is', () => {
    const items = Array.from({ length: 300_000 }, (_, n) => [n])
    expect(fits(items)).toBe(true)
    expect(fits([...items, [7]])).toBe(false)
  })
})
