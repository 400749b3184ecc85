import { describe, expect, it } from 'vitest'
import { jsonFault } from './json-fault.ts'

function faultOf(text: string): string {
  try {
    return JSON.parse(text)
  } catch (error) {
    return jsonFault(text, error)
  }
}

describe('why a body cannot be read', () => {
  it.each([
    ['{bad', /^Expected property name or '}' at line 1, column 2/],
    ['{"a":', /^Unexpected end of JSON input$/],
    ['{"a":"x\ny"}', /^Bad control character in string literal at line 1, column 8/],
    ['{}\n {}', /^Unexpected non-whitespace character after its end, at line 2, column 2/],
    ['{"password":"hunter2",]', /hunter2/, 'not'],
    ['{"a":[],"password":"hunter2","b":NaN}', /^Unexpected token 'N'$/],
  ])('%j', (text, said, not = '') => {
    if (not === '') expect(faultOf(text)).toMatch(said)
    else expect(faultOf(text)).not.toMatch(said)
  })
})
