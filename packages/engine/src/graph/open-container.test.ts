import type { JsonObject } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { applyFact } from './apply-fact.ts'
import { toyBody, toyDocument, toyProgram } from './fixtures/toy-shell.fixture.ts'
import { initialState } from './graph-state.ts'
import { openContainer } from './open-container.ts'
import { takeReady } from './ready.ts'

function open(type: string, inputs: JsonObject, more = {}) {
  const program = toyProgram(
    toyDocument([{ id: 'c', type, body: toyBody(['x']), branches: [toyBody(['y'])], ...more }]),
  )
  const state = initialState(program)
  applyFact(program, state, { kind: 'started', input: null })
  return openContainer(takeReady(program, state)[0]!, inputs)
}

describe('opening a container', () => {
  it('puts into the fact what its inputs say', () => {
    expect(open('for-each', { items: [1], concurrency: 4 })).toEqual({
      kind: 'opened',
      step: 'c',
      items: [1],
      concurrency: 4,
    })
    expect(open('for-each', { items: [], concurrency: null })).toEqual({ kind: 'opened', step: 'c', items: [] })
    expect(open('for', { start: 1, end: 3, concurrency: 2, collect: 'x' })).toEqual({
      kind: 'opened',
      step: 'c',
      range: { start: 1, step: 1, count: 3 },
      concurrency: 2,
      collect: 'x',
    })
    expect(open('while', { condition: 'yes', maxTurns: 1 })).toEqual({ kind: 'opened', step: 'c', condition: true })
    expect(open('while', { condition: 0 })).toEqual({ kind: 'opened', step: 'c', condition: false })
    expect(open('parallel', { join: 'any' })).toEqual({ kind: 'opened', step: 'c', join: 'any' })
    expect(open('parallel', {})).toEqual({ kind: 'opened', step: 'c' })
    expect(open('try', {}, { timeout: '1s' })).toEqual({ kind: 'opened', step: 'c', timeoutMs: 1_000 })
  })

  it.each([
    ['for-each', {}],
    ['for-each', { items: 'abc' }],
    ['for-each', { items: { length: 1 } }],
    ['for-each', { items: [], concurrency: 0 }],
    ['for-each', { items: [], concurrency: 1.5 }],
    ['for', { end: 3, step: 0 }],
    ['for', { end: 3, step: -1 }],
    ['for', { end: 3, concurrency: 0 }],
    ['parallel', { join: 'some' }],
  ])('fails when the inputs of a %s do not fit: %j', (type, inputs) => {
    expect(open(type, inputs)).toMatchObject({ code: 'INVALID_INPUT' })
  })
})
