import { expect, it } from 'vitest'
import { changedVariables, variablesSchema } from './changed-variables.ts'

it('sends only the variables that differ', () => {
  const before = { card: 'expired', tries: 2, list: [1, 2] }
  expect(changedVariables(before, { card: 'valid', tries: 2, list: [1, 2] })).toEqual({ card: 'valid' })
  expect(changedVariables(before, { list: [2, 1], more: null })).toEqual({ list: [2, 1], more: null })
  expect(changedVariables(before, before)).toEqual({})
  expect(changedVariables(null, { a: 1 })).toEqual({ a: 1 })
  expect(changedVariables(before, [1])).toEqual({})
})

it('makes a form of what a workflow declares, without what it begins with', () => {
  expect(variablesSchema({ card: { type: 'string', default: 'expired' } })).toEqual({
    type: 'object',
    properties: { card: { type: 'string' } },
  })
  expect(variablesSchema({})).toBeUndefined()
})
