import { describe, expect, it } from 'vitest'
import { expressionIn, fieldsOf, toExpression, toLiteral } from './field-kind.ts'

describe('the fields of a step', () => {
  it('are of the kind that the schema asks for, what is required first', () => {
    const schema = {
      type: 'object',
      required: ['url'],
      properties: {
        headers: { type: 'object' },
        timeout: { type: ['string', 'number'] },
        method: { type: 'string', enum: ['GET', 'POST'] },
        body: {},
        count: { type: 'integer' },
        follow: { type: 'boolean' },
        url: { type: 'string' },
        code: { type: 'string' },
      },
    }
    const fields = fieldsOf(schema, ['url', 'mine'], ['code'], 'code')
    expect(fields.map(({ name, kind }) => `${name}: ${kind}`)).toEqual([
      ...['url: text', 'headers: json', 'timeout: text', 'method: choice', 'body: any', 'count: number'],
      ...['follow: boolean', 'code: code', 'mine: any'],
    ])
    expect(fields.filter(({ literal }) => literal).map(({ name }) => name)).toEqual(['code'])
  })

  it('are pickers for days, moments and names of secrets', () => {
    const properties = {
      day: { type: 'string', format: 'date' },
      at: { type: ['string', 'number'], format: 'lockstep-instant' },
      since: { type: 'string', format: 'date-time' },
      secret: { type: 'string', 'x-secret': 'name' },
    }
    expect(fieldsOf({ properties }, []).map(({ kind }) => kind)).toEqual([
      'date',
      'date-time',
      'date-time',
      'secret-name',
    ])
  })

  it('take a secret in the place of a text or in an object, where the step takes any', () => {
    const properties = {
      url: { anyOf: [{ type: 'string' }, { type: 'object' }] },
      headers: { type: 'object' },
      body: {},
      method: { type: 'string', enum: ['GET'] },
      count: { type: 'integer' },
      query: { type: 'string' },
      timeout: { type: ['string', 'number'], format: 'lockstep-duration' },
    }
    const places = (takes: boolean) =>
      fieldsOf({ properties }, [], ['query'], undefined, takes).map(({ secret }) => secret)
    expect(places(true)).toEqual(['text', 'member', 'text', ...Array.from({ length: 4 }, () => undefined)])
    expect(places(false).every((each) => each === undefined)).toBe(true)
  })

  it('turn a value into an expression and back', () => {
    expect(expressionIn({ $expr: 'input.x' })).toBe('input.x')
    expect(expressionIn({ $expr: 'input.x', more: 1 })).toBeUndefined()
    expect(toExpression('a')).toEqual({ $expr: '"a"' })
    expect(toLiteral('"a"')).toBe('a')
    expect(toLiteral('input.x')).toBeUndefined()
  })
})
