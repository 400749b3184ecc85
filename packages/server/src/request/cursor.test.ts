import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidCursor } from '../problem/request-errors.ts'
import { fromCursor, toCursor } from './cursor.ts'

const FORM = /^[a-z]+$/

describe('cursors', () => {
  it('come back as they were made, for the filter they were made for', () => {
    for (const back of [false, true]) {
      const text = toCursor({ key: 'abc', seen: 7, back }, 'status=faulted')
      expect(fromCursor(text, 'status=faulted', FORM)).toEqual({ key: 'abc', seen: 7, back })
      expect(() => fromCursor(text, 'status=running', FORM)).toThrow(/other filters/)
      const counted = { key: 'abc', seen: 7, back, count: { value: 10_000, exact: false } }
      expect(fromCursor(toCursor(counted, ''), '', FORM)).toEqual(counted)
    }
  })

  it('are refused, never misread, when they are somebody else’s', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value)).toString('base64url')),
        ),
        (text) => {
          try {
            fromCursor(text, 'f', FORM)
            expect.unreachable()
          } catch (error) {
            expect(InvalidCursor.is(error)).toBe(true)
          }
        },
      ),
    )
  })
})
