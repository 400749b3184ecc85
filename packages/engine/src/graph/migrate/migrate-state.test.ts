import type { JsonObject } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { activityRegistry } from '../../activity/activity-registry.ts'
import { compileExpression } from '../../expression/expression.ts'
import type { Fact } from '../../journal/fact.ts'
import { applyFact } from '../apply-fact.ts'
import { compileGraph } from '../compile-graph.ts'
import type { GraphDocument } from '../document.ts'
import type { GraphProgram } from '../graph-program.ts'
import { type GraphState, initialState } from '../graph-state.ts'
import { verdict } from '../verdict.ts'
import { checkMapping, checkMigration } from './check-migration.ts'
import { migrateState, renamedSteps } from './migrate-state.ts'
import type { ActivityMapping } from './rename-steps.ts'

const catalogue = activityRegistry([])
const log = (id: string): JsonObject => ({ id, type: 'log', inputs: { message: 'x' } })
const ask = (id: string): JsonObject => ({ id, type: 'wait-for-event', inputs: { event: 'go' } })
const graph = (activities: JsonObject[], connections: [string, string][] = [], rest: JsonObject = {}): GraphProgram => {
  const document = { id: 'g', activities, connections: connections.map(([from, to]) => ({ from, to })), ...rest }
  return compileGraph(document as unknown as GraphDocument, catalogue, compileExpression)
}
const run = (program: GraphProgram, ...facts: Fact[]): GraphState => {
  const state = initialState(program)
  for (const fact of [{ kind: 'started', input: 1 } as const, ...facts]) applyFact(program, state, fact, 1_000)
  return state
}
const done = (step: string): Fact => ({ kind: 'completed', step, outcome: 'done' })
const waits = (step: string): Fact => ({ kind: 'waiting', step, wait: { kind: 'event', name: 'go' } })
const problems = (from: GraphProgram, to: GraphProgram, state: GraphState, mapping: ActivityMapping = {}) =>
  [...checkMigration(from, to, state, mapping)].map(({ code, at }) => `${code} ${at}`)

describe('a migration of a graph', () => {
  it('renames steps wherever they stand, and goes on to the end', () => {
    const loop = (id: string, inner: string, more: JsonObject[] = []) => ({
      ...{ id, type: 'for-each', inputs: { items: [1, 2] } },
      body: {
        activities: [ask(inner), ...more],
        connections: more.map((each) => ({ from: inner, to: String(each.id) })),
      },
    })
    const from = graph([loop('loop', 'ask')])
    const to = graph([loop('turns', 'question', [log('said')])])
    const state = run(from, { kind: 'opened', step: 'loop', items: [1, 2] }, waits('loop[0].ask'))
    const mapping = { loop: 'turns', ask: 'question' }
    expect([...checkMapping(from, to, mapping)]).toEqual([])
    expect(problems(from, to, state, mapping)).toEqual([])
    expect(renamedSteps(state, mapping)).toEqual([
      { from: 'loop', to: 'turns' },
      { from: 'loop[0].ask', to: 'turns[0].question' },
    ])
    const next = migrateState(from, to, state, mapping)
    expect(Object.keys(next.waits)).toEqual(['turns[0].question'])
    expect(next.scopes['turns[0]']).toMatchObject({ graph: 'turns:body', owner: 'turns', live: ['turns[0].question'] })
    for (const step of ['turns[0].question', 'turns[0].said', 'turns[1].question', 'turns[1].said'])
      applyFact(to, next, done(step))
    expect(verdict(next)).toMatchObject({ status: 'completed' })
    expect(state.waits['loop[0].ask']).toBeDefined() // the old one is as it was
  })

  it('lets a join wait for the branches that lead to it now', () => {
    const from = graph(
      [ask('a'), ask('b'), log('join')],
      [
        ['a', 'join'],
        ['b', 'join'],
      ],
    )
    const to = graph(
      [ask('a'), ask('b'), log('more'), log('join')],
      [
        ['a', 'join'],
        ['b', 'more'],
        ['more', 'join'],
      ],
    )
    const state = run(from, waits('a'), waits('b'), done('a'))
    expect(problems(from, to, state)).toEqual([])
    const next = migrateState(from, to, state, {})
    expect(next.scopes['']?.pending).toEqual([{ activity: 'join', blockers: 1 }])
    for (const step of ['b', 'more', 'join']) applyFact(to, next, done(step))
    expect(verdict(next)).toMatchObject({ status: 'completed' })
  })

  it('keeps variables that are declared, and gives new ones their default', () => {
    const from = graph([ask('a')], [], { variables: { kept: { default: 1 }, gone: { default: 2 } } })
    const to = graph([ask('a')], [], { variables: { kept: { default: 8 }, added: { default: 9 } } })
    expect(migrateState(from, to, run(from), {}).variables).toEqual({ kept: 1, added: 9 })
  })

  it('numbers what can run again now as if it had run', () => {
    const from = graph([log('a'), ask('b')], [['a', 'b']])
    const to = graph(
      [log('a'), ask('b')],
      [
        ['a', 'b'],
        ['b', 'b'],
      ],
    )
    const next = migrateState(from, to, run(from, done('a')), {})
    applyFact(to, next, done('b'))
    expect(Object.keys(next.executions)).toEqual(['b#2'])
  })

  const one = graph([ask('a'), log('z')], [['a', 'z']])
  const stands = run(one, waits('a'))
  it.each([
    ['NO_COUNTERPART a', graph([ask('b')]), stands],
    ['OTHER_TYPE a', graph([log('a')]), stands],
    ['OTHER_PLACE a', graph([{ id: 'p', type: 'parallel', branches: [{ activities: [ask('a')] }] }]), stands],
  ])('says %s', (problem, to, state) => {
    expect(problems(one, to, state)).toEqual([problem])
  })

  it('says what is wrong with joins and containers', () => {
    const from = graph(
      [ask('a'), ask('b'), log('join')],
      [
        ['a', 'join'],
        ['b', 'join'],
      ],
    )
    const state = run(from, waits('a'), waits('b'), done('a'))
    expect(problems(from, graph([ask('a'), ask('b'), log('join')], [['a', 'join']]), state)).toEqual([
      'NOT_A_JOIN join',
    ])
    const apart = graph(
      [ask('a'), ask('b'), ask('c'), log('join')],
      [
        ['a', 'join'],
        ['c', 'join'],
      ],
    )
    expect(problems(from, apart, state)).toEqual(['JOIN_WITHOUT_BRANCHES join'])
    const guard = (parts: JsonObject) =>
      graph([{ id: 'guard', type: 'try', body: { activities: [ask('a')] }, ...parts }])
    const caught = guard({ catch: { activities: [ask('c')] } })
    const failed = run(caught, { kind: 'opened', step: 'guard' }, {
      ...{ kind: 'failed', step: 'guard.a', attempt: 1 },
      error: { code: 'X', message: 'x' },
    } as Fact)
    const without = graph([
      { id: 'guard', type: 'try', body: { activities: [ask('a')] }, finally: { activities: [ask('c')] } },
    ])
    expect(problems(caught, without, failed)).toEqual(
      expect.arrayContaining(['NO_COUNTERPART guard:catch', 'OTHER_PLACE guard:catch.c']),
    )
  })

  it('says what is wrong with a mapping', () => {
    const to = graph([ask('b'), log('z')])
    expect([...checkMapping(one, to, { nobody: 'b', a: 'nowhere', z: 'b' })].map(({ at }) => at)).toEqual([
      ...['nobody', 'nowhere', 'b'],
    ])
  })
})
