import { expect, it } from 'vitest'
import { isLeft, leftCount } from './batch-words.ts'

it('are left, of a batch, those that were refused and those whose turn never came', () => {
  expect(leftCount({ total: 10, done: 10, outcomes: { accepted: 8, 'not-found': 2 } })).toBe(0)
  expect(leftCount({ total: 10, done: 8, outcomes: { accepted: 5, 'wrong-state': 3 } })).toBe(5)
  expect([null, 'wrong-state', 'accepted', 'not-found'].map(isLeft)).toEqual([true, true, false, false])
})
