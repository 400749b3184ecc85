import { describe, expect, it } from 'vitest'
import type { GraphDocument } from '../api/wire.ts'
import { offersAt } from './completions.ts'
import { scopeShape } from './expression-scope.ts'
import { upstreamOf } from './upstream.ts'

const document: GraphDocument = {
  id: 'order',
  input: { type: 'object', properties: { amount: { type: 'number' }, name: { type: 'string' } } },
  variables: { attempts: { type: 'number', default: 0 } },
  activities: [
    { id: 'ask', type: 'http-request', name: 'Ask the bank' },
    { id: 'two-words', type: 'script' },
    {
      id: 'each',
      type: 'for-each',
      body: {
        activities: [
          { id: 'in', type: 'log' },
          { id: 'next', type: 'log' },
        ],
        connections: [{ from: 'in', to: 'next' }],
      },
    },
    { id: 'late', type: 'log' },
  ],
  connections: [
    { from: 'ask', to: 'two-words' },
    { from: 'two-words', to: 'each' },
    { from: 'each', to: 'late' },
  ],
}
const labels = (before: string, step = 'next', past?: unknown, asked = false) =>
  offersAt(before, scopeShape({ document, step, past }), asked)?.offers.map(({ label }) => label)

describe('completion of expressions', () => {
  it('offers what leads to the step, in its graph and around it, and nothing behind it', () => {
    expect(labels('steps.')).toEqual(['ask', 'two-words', 'in'])
    expect(labels('steps.', 'late')).toEqual(['ask', 'two-words', 'each'])
    expect(upstreamOf(document, 'ask')).toEqual([])
  })

  it('writes names that are none in brackets, in the place of the point', () => {
    const { offers, from } = offersAt('1 + steps.tw', scopeShape({ document, step: 'late' }), false)!
    expect(from).toBe(10)
    expect(offers.find(({ label }) => label === 'two-words')).toMatchObject({ apply: '["two-words"]', from: 9 })
    expect(labels('steps["two-words"].', 'late')).toEqual(['output'])
  })

  it('knows the members that the schema promises, and those that a run had', () => {
    expect(labels('input.')).toEqual(['amount', 'name'])
    const past = {
      input: { amount: 3, extra: { deep: 'x' } },
      steps: { ask: { output: { body: { price: 7 } } }, late: {} },
    }
    expect(labels('input.', 'next', past)).toEqual(['amount', 'name', 'extra'])
    expect(labels('input.extra.', 'next', past)).toEqual(['deep'])
    expect(labels('steps.ask.output.body.', 'next', past)).toEqual(['price'])
    expect(labels('steps.', 'next', past)).not.toContain('late')
  })

  it('offers methods by the type, and functions by their group', () => {
    expect(labels('input.name.')).toContain('toUpperCase')
    expect(labels('input.amount.')).toEqual(['toFixed'])
    expect(labels('Math.')).toContain('round')
  })

  it('offers item and index inside loops only', () => {
    expect(labels('i')).toContain('item')
    expect(labels('i', 'late')).not.toContain('item')
  })

  it('says nothing where nothing can follow, unless it was asked', () => {
    expect(labels('input.amount > 3 ')).toBeUndefined()
    expect(labels('')).toBeUndefined()
    expect(labels('', 'next', undefined, true)).toContain('input')
    expect(labels('unknown.')).toBeUndefined()
  })
})
