import { describe, expect, it } from 'vitest'
import { scopeShape } from './expression-scope.ts'
import { memberPath, scopeRows } from './scope-rows.ts'

const document = {
  id: 'order',
  input: { type: 'object', properties: { amount: { type: 'number' } } },
  activities: [
    { id: 'price', name: 'Ask for the price', type: 'http-request' },
    { id: 'two-words', type: 'transform' },
    { id: 'here', type: 'log' },
  ],
  connections: [
    { from: 'price', to: 'two-words' },
    { from: 'two-words', to: 'here' },
  ],
} as unknown as Parameters<typeof scopeShape>[0]['document']

const past = {
  input: { amount: 9 },
  vars: {},
  steps: {
    price: { output: { body: { euro: 4 }, 'content-type': 'json' } },
    'two-words': { output: [{ n: 1 }, { n: 2 }] },
  },
}

describe('what an expression can name', () => {
  const scope = scopeShape({ document, step: 'here', past })

  it('shows steps by their names and names them by their ids', () => {
    const rows = scopeRows(scope, past, new Set())
    expect(rows.map(({ name, path, text }) => [name, path, text])).toEqual([
      ['input', 'input', '{"amount":9}'],
      ['amount', 'input.amount', '9'],
      ['Earlier steps', 'steps', ''],
      ['Ask for the price', 'steps.price.output', '{"body":{"euro":4},"content-type":"json"}'],
      ['two-words', 'steps["two-words"].output', '2 items'],
      ['correlationId', 'correlationId', 'string'],
    ])
    expect(rows.filter(({ isHeading }) => isHeading).map(({ path }) => path)).toEqual(['steps'])
  })

  it('opens what was toggled, and closes what was open', () => {
    const paths = (toggled: readonly string[]) => scopeRows(scope, past, new Set(toggled)).map(({ path }) => path)
    expect(paths(['input', 'steps.price.output'])).toEqual([
      'input',
      'steps',
      'steps.price.output',
      'steps.price.output.body',
      'steps.price.output["content-type"]',
      'steps["two-words"].output',
      'correlationId',
    ])
    expect(paths(['steps["two-words"].output'])).toContain('steps["two-words"].output[0]')
  })

  it('says types where no run says values', () => {
    const rows = scopeRows(scopeShape({ document, step: 'price' }), undefined, new Set())
    expect(rows.map(({ path, text, isValue }) => [path, text, isValue])).toEqual([
      ['input', 'object', false],
      ['input.amount', 'number', false],
      ['correlationId', 'string', false],
    ])
  })

  it('puts names that are none in the language into brackets', () => {
    expect(memberPath('input', 'amount')).toBe('input.amount')
    expect(memberPath('input', 'of "two"')).toBe('input["of \\"two\\""]')
  })
})
