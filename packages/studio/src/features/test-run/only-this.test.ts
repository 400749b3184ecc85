import { describe, expect, it } from 'vitest'
import type { GraphBody } from '../../api/wire.ts'
import { onlyThis } from './only-this.ts'

const document = {
  activities: [
    { id: 'ask', name: 'Ask for the price', type: 'http-request' },
    { id: 'total', type: 'transform' },
    { id: 'decide', type: 'human-task' },
    {
      id: 'each',
      type: 'for-each',
      body: {
        activities: [
          { id: 'mail', type: 'send-email' },
          { id: 'sum', type: 'transform' },
        ],
        connections: [],
      },
    },
    { id: 'pay', type: 'http-request' },
  ],
  connections: [
    { from: 'ask', to: 'total' },
    { from: 'total', to: 'decide' },
    { from: 'decide', outcome: 'refuse', to: 'nowhere' },
    { from: 'decide', outcome: 'accept', to: 'each' },
    { from: 'each', to: 'pay' },
  ],
} as unknown as GraphBody

const outside = new Set(['http-request', 'human-task', 'send-email'])
const given = { document, reachesOut: (type: string) => outside.has(type), pins: {}, answered: new Map() }

describe('a test of one step alone', () => {
  it('has all others that reach outside answer, those in containers too, by the way that leads there', () => {
    const { pins, mocked } = onlyThis({ ...given, step: 'pay' })
    expect(pins).toEqual({
      ask: { output: null },
      decide: { output: null, outcome: 'accept' },
      mail: { output: null },
    })
    expect(mocked[0]).toEqual({ id: 'ask', name: 'Ask for the price', by: 'nothing' })
  })

  it('answers what was pinned, else what the last run answered', () => {
    const answered = new Map([
      ['ask', { output: { price: 9 } }],
      ['decide', { output: 'no', outcome: 'refuse' }],
    ])
    const { pins, mocked } = onlyThis({ ...given, step: 'pay', pins: { ask: { output: { price: 5 } } }, answered })
    expect(pins.ask).toEqual({ output: { price: 5 } })
    expect(pins.decide).toEqual({ output: 'no', outcome: 'refuse' })
    expect(mocked.map(({ by }) => by)).toEqual(['pin', 'run', 'nothing'])
  })

  it('executes the step itself, and all that is inside it', () => {
    expect(Object.keys(onlyThis({ ...given, step: 'each' }).pins)).toEqual(['ask', 'decide', 'pay'])
  })
})
