import { describe, expect, it } from 'vitest'
import { requiredRevisionOf, revisionOf, toEtag } from './etag.ts'

describe('If-Match', () => {
  it('names the revision that an ETag was made of, with and without quotes', () => {
    expect(revisionOf(toEtag(17))).toBe(17)
    expect(revisionOf('17')).toBe(17)
  })

  it('holds to nothing when it is absent or a star', () => {
    expect(revisionOf(undefined)).toBeUndefined()
    expect(revisionOf('*')).toBeUndefined()
  })

  it('matches nothing when the ETag is weak, foreign or beyond the store', () => {
    for (const text of ['W/"3"', '"abc"', '"9999999999"']) expect(revisionOf(text)).toBe(0)
  })

  it('is refused when it is no ETag, and where it must stand', () => {
    expect(() => revisionOf('"1", "2"')).toThrow(/one ETag/)
    expect(() => revisionOf('')).toThrow(/one ETag/)
    expect(() => requiredRevisionOf(undefined, 'the draft')).toThrow(/Send If-Match/)
  })
})
