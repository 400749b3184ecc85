import type { JsonObject } from '@lockstep/base'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileTemplate, fillTemplate } from './input-template.ts'

const expression = (source: string) => ({ source, references: [] })

describe('inputs', () => {
  it('without expressions are ready made and cannot be changed', () => {
    const template = compileTemplate({ a: [1, { b: 2 }] }, expression)
    expect(template.literal).toEqual({ a: [1, { b: 2 }] })
    expect(fillTemplate(template, [])).toBe(template.literal)
    expect(() => (template.literal as { a: unknown[] }).a.push(3)).toThrow(TypeError)
  })

  it('take the values of their expressions at any depth', () => {
    const template = compileTemplate({ a: { $expr: 'x' }, b: [1, { c: { $expr: 'y' }, d: 2 }] }, expression)
    expect(template.expressions.map(({ source }) => source)).toEqual(['x', 'y'])
    expect(fillTemplate(template, ['X', ['Y']])).toEqual({ a: 'X', b: [1, { c: ['Y'], d: 2 }] })
  })

  it('come back as they were when every expression gives the value it stood for', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (values) => {
        const inputs = JSON.parse(JSON.stringify(values)) as JsonObject
        const hidden = Object.fromEntries(
          Object.entries(inputs).map(([key, value], n) => [
            key,
            n % 2 === 0 ? { $expr: JSON.stringify(value) } : value,
          ]),
        )
        const template = compileTemplate(hidden, expression)
        const filled = fillTemplate(
          template,
          template.expressions.map(({ source }) => JSON.parse(source)),
        )
        expect(JSON.stringify(filled)).toBe(JSON.stringify(inputs))
      }),
    )
  })
})
