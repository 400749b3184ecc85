import { expect, it } from 'vitest'
import { missedText } from './missed-text.ts'

it('says what came late and what was let go, and nothing where all went as planned', () => {
  expect(missedText({ late: 2, skipped: 0 })).toBe('2 late')
  expect(missedText({ late: 1, skipped: 3 })).toBe('1 late, 3 skipped')
  expect(missedText({ late: 0, skipped: 0 })).toBeUndefined()
  // A server of before says nothing of it.
  expect(missedText(undefined)).toBeUndefined()
})
