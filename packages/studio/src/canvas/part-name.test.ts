import { expect, it } from 'vitest'
import { partName } from './part-name.ts'

it.each([
  ['try', 'body', 'Try'],
  ['try', 'catch', 'Catch'],
  ['try', 'finally', 'Finally'],
  ['for-each', 'body', 'Body'],
  ['for-each', 'compensate', 'Undo'],
  ['parallel', 'branches', 'Branch 1'],
])('of %s the part %s is called %s', (type, slot, name) => {
  expect(partName(type, slot)).toBe(name)
})
