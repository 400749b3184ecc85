import { expect, it } from 'vitest'
import { weakestTerm, without } from './weakest-term.ts'

const terms = [
  ['status', 'faulted'],
  ['definition', 'order'],
] as const

it('is the one without which the most would fit', () => {
  const counts = [
    { value: 3, exact: true },
    { value: 12, exact: false },
  ]
  expect(weakestTerm(terms, counts)).toEqual({ term: terms[1], count: counts[1] })
  expect(without(terms, 'status')).toEqual({ definition: 'order' })
})

it('is none where a single one changes nothing', () => {
  expect(weakestTerm(terms, [{ value: 0, exact: true }, undefined])).toBeUndefined()
})
