import { describe, expect, it } from 'vitest'
import { rememberPrograms } from './program-cache.ts'

describe('remembered programs', () => {
  it('are read once, for each kind', () => {
    const read = rememberPrograms(10_000)
    expect(read('input.a', 'expression')).toBe(read('input.a', 'expression'))
    expect(read('input.a', 'script').text).not.toBe(read('input.a', 'expression').text)
  })

  it('make room for the latest', () => {
    const read = rememberPrograms(1_000)
    const first = read('"first"', 'expression')
    for (let index = 0; index < 20; index++) read(`"number ${index}"`, 'expression')
    expect(read('"first"', 'expression')).not.toBe(first)
    expect(read('"first"', 'expression')).toEqual(first)
  })

  it('still read what is too long to remember', () => {
    const read = rememberPrograms(10)
    expect(read('input.a + vars.b', 'expression').references).toEqual(['input', 'vars'])
  })
})
