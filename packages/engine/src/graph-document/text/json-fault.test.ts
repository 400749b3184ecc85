import { describe, expect, it } from 'vitest'
import { jsonFault } from './json-fault.ts'

describe('where a text stops being JSON', () => {
  it.each([
    ['{"a":"b\\n\\u00e9"}', undefined],
    ['["a",]', 5],
    ['{"a":"\\x"}', 5],
    ['{"a":"b', 5],
    ['{"a\u0000":1}', 1],
    ['[1 2]', 3],
    ['[1', 2],
  ])('%j: %s', (text, at) => {
    expect(jsonFault(text)).toBe(at)
  })

  it('is found behind a text of many megabytes', () => {
    const long = `"${'a\\n'.repeat(8_000_000)}"`
    expect(jsonFault(`{"a":${long},}`)).toBe(long.length + 6)
  })
})
