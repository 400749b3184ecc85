import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from './json-body.ts'

const spelled = (name: string): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom('plain', 'lower', 'upper'), { minLength: name.length, maxLength: name.length })
    .map((ways) => ways.map((way, at) => (way === 'plain' ? name[at]! : escaped(name[at]!, way === 'upper'))).join(''))

function escaped(sign: string, upper: boolean): string {
  const hex = sign.charCodeAt(0).toString(16).padStart(4, '0')
  return `\\u${upper ? hex.toUpperCase() : hex}`
}

describe('a body', () => {
  it('has no member that could become a prototype, however it is spelled and wherever it stands', () => {
    const space = fc.constantFrom('', ' ', '\n\t')
    const around = fc.constantFrom('#', '[#]', '{"a":#}', '[0,{"a":[#]}]', '{"constructor":#}')
    const bad = fc.oneof(
      fc.tuple(spelled('__proto__'), space).map(([name, gap]) => `{"${name}"${gap}:{"a":1}}`),
      fc
        .tuple(spelled('constructor'), spelled('prototype'), space)
        .map(([outer, inner, gap]) => `{"${outer}"${gap}:{"${inner}"${gap}:1}}`),
    )
    fc.assert(
      fc.property(around, bad, (place, member) => {
        const text = place.replace('#', member)
        expect(() => JSON.parse(text)).not.toThrow()
        expect(() => parseJson(text)).toThrow(/__proto__ or constructor.prototype are refused/)
      }),
    )
  })

  it.each([
    ['{"constructor":null}', { constructor: null }],
    ['{"constructor":{"a":1}}', { constructor: { a: 1 } }],
    ['{"a":"__proto__"}', { a: '__proto__' }],
    ['["constructor","prototype"]', ['constructor', 'prototype']],
    ['\ufeff{"a":1}', { a: 1 }],
  ])('%s is what it is', (text, value) => {
    expect(parseJson(text)).toEqual(value)
  })

  it.each(['', '{', '{"a":1,}', 'nope', '{"a":1}x'])('%j is told what is wrong with it', (text) => {
    expect(() => parseJson(text)).toThrow(/JSON/)
  })
})
