import { describe, expect, it } from 'vitest'
import type { Fact } from '../journal/fact.ts'
import { applyFact } from './apply-fact.ts'
import type { GraphDocument } from './document.ts'
import {
  type ToyExpression,
  toyBody,
  toyDocument,
  toyFact,
  toyInputs,
  toyProgram,
} from './fixtures/toy-shell.fixture.ts'
import { initialState } from './graph-state.ts'
import { type StepToRun, takeCancelled, takeReady } from './ready.ts'
import { verdict } from './verdict.ts'

/** Length of the snapshot after each `every`th fact, and how many facts there were. */
function growth(
  document: GraphDocument,
  every: number,
  items: number,
): { readonly sizes: number[]; readonly facts: number } {
  const program = toyProgram(document)
  const state = initialState(program)
  const queue: StepToRun<ToyExpression>[] = []
  const sizes: number[] = []
  let facts = 0
  const apply = (fact: Fact): void => {
    applyFact(program, state, fact, facts)
    takeCancelled(state)
    queue.push(...takeReady(program, state))
    if (++facts % every === 0) sizes.push(JSON.stringify({ ...state, input: null }).length)
  }
  apply({ kind: 'started', input: items })
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    if (Object.hasOwn(state.executions, next.step)) apply(toyFact(next, toyInputs(program, state, next)))
  }
  expect(verdict(state)).toMatchObject({ status: 'completed' })
  return { sizes, facts }
}

const spread = (sizes: readonly number[]): number => Math.max(...sizes) - Math.min(...sizes)

describe('the state', () => {
  it('of a cycle does not grow with its turns', () => {
    const body = toyDocument(
      [
        's',
        { id: 'work', type: 'task', inputs: { turn: { $expr: 'vars.n' } } },
        { id: 'count', type: 'set-variable', inputs: { name: 'n', value: { $expr: 'steps.work.output.turn + 1' } } },
        { id: 'more', type: 'if', inputs: { condition: { $expr: 'vars.n < input' } } },
      ],
      ['s -> work', 'work -> count', 'count -> more', 'more -true-> work'],
      { variables: { n: { type: 'number', default: 0 } } },
    )
    const { sizes, facts } = growth(body, 1_000, 10_000)
    expect(facts).toBe(30_002)
    // A few digits of counters, keys and variables.
    expect(spread(sizes)).toBeLessThan(100)
  })

  it('of a while does not grow with its turns, and each turn costs the same facts', () => {
    const body = toyBody(
      [
        { id: 'x', type: 'task', inputs: { text: 'a result of some length', turn: { $expr: 'index' } } },
        { id: 'y', type: 'task', inputs: { copy: { $expr: 'steps.x.output' } } },
      ],
      ['x -> y'],
    )
    const condition = { $expr: 'index < input' }
    const { sizes, facts } = growth(
      toyDocument([{ id: 'loop', type: 'while', inputs: { condition }, body }]),
      1_000,
      10_000,
    )
    expect(facts).toBe(30_002)
    expect(spread(sizes)).toBeLessThan(500)
  })

  it('of a loop does not grow with its turns, whatever its steps give', () => {
    const body = toyBody(
      [
        { id: 'x', type: 'task', inputs: { text: 'a result of some length' } },
        { id: 'y', type: 'task', inputs: { copy: { $expr: 'steps.x.output' } } },
        { id: 'race', type: 'parallel', inputs: { join: 'any' }, branches: [toyBody(['r']), toyBody(['q'])] },
      ],
      ['x -> y', 'y -> race'],
    )
    const items = { $expr: 'Array.from({ length: input }, () => 0)' }
    const document = toyDocument([{ id: 'loop', type: 'for-each', inputs: { items, concurrency: 3 }, body }])
    const { sizes, facts } = growth(document, 1_000, 10_000)
    expect(facts).toBeGreaterThan(40_000)
    // The items stay until the end; around them only three turns are alive, at some point of their body.
    expect(spread(sizes)).toBeLessThan(2_000)
  })
})
