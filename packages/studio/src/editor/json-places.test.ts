import { describe, expect, it } from 'vitest'
import { placesIn } from './json-places.ts'

const text = JSON.stringify({ id: 'a', activities: [{ id: 'one' }, { id: 'two', inputs: { 'a/b': 1 } }] }, undefined, 2)
const lineOf = (pointer: string): string | undefined => text.split('\n')[placesIn(text, [pointer])[0]!.line - 1]?.trim()

describe('places in JSON', () => {
  it('are those of the members that pointers name', () => {
    expect(lineOf('/id')).toBe('"id": "a",')
    expect(lineOf('/activities/1/id')).toBe('"id": "two",')
    expect(lineOf('/activities/1/inputs/a~1b')).toBe('"a/b": 1')
    expect(placesIn(text, ['/id'])).toEqual([{ line: 2, column: 3 }])
  })

  it('of what is missing are those of what it is missing from', () => {
    expect(lineOf('/activities/0/type')).toBe('{')
    expect(placesIn('', ['/id'])).toEqual([{ line: 1, column: 1 }])
  })
})
