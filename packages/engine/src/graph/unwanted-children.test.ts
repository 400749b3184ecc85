import type { JsonObject } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { activityRegistry } from '../activity/activity-registry.ts'
import { compileExpression } from '../expression/expression.ts'
import type { Fact, Wait } from '../journal/fact.ts'
import { applyFact } from './apply-fact.ts'
import { compileGraph } from './compile-graph.ts'
import type { GraphDocument } from './document.ts'
import type { GraphProgram } from './graph-program.ts'
import { type GraphState, initialState } from './graph-state.ts'
import { migrateState } from './migrate/migrate-state.ts'
import { orphans } from './unwanted-children.ts'
import { verdict } from './verdict.ts'
import { nextDueAt, nextDueInMs, stamp } from './waits.ts'

const ID = '00000000-0000-7000-8000-000000000001'
const log = (id: string, message: unknown = 'x'): JsonObject => ({ id, type: 'log', inputs: { message } as JsonObject })
const nap = { id: 'nap', type: 'delay', inputs: { duration: '1h' } }
/** Two branches, of which the first to end wins; the step `kid` can be undone, and its compensation reads `pick`. */
const raceOf = (kid: string, pick: string): GraphProgram => {
  const compensate = { activities: [log('back', { $expr: `steps.${pick}.output` })] }
  const run = { id: kid, type: 'run-workflow', inputs: { definitionId: 'child' }, compensate }
  const race = {
    id: 'race',
    type: 'parallel',
    inputs: { join: 'any' },
    branches: [{ activities: [run] }, { activities: [nap] }],
  }
  const document = { id: 'g', activities: [log(pick), race], connections: [{ from: pick, to: 'race' }] }
  return compileGraph(document as unknown as GraphDocument, activityRegistry([]), compileExpression)
}
const program = raceOf('kid', 'pick')
const child: Wait = { kind: 'child', instanceId: ID, timeoutMs: 60_000 }
const done = (step: string, output = 1): Fact => ({ kind: 'completed', step, outcome: 'done', output })
const begin: Fact[] = [{ kind: 'started', input: null }, done('pick', 7), { kind: 'opened', step: 'race', join: 'any' }]
const fold = (facts: readonly Fact[], at: number | undefined = 1_000): GraphState => {
  const state = initialState(program)
  for (const fact of [...begin, ...facts]) applyFact(program, state, fact, at)
  return state
}
const waiting: Fact = { kind: 'waiting', step: 'race[0].kid', wait: child, undo: true }

describe('a step that waits for a child when its branch is dropped', () => {
  it('is kept until the child has ended where the journal says that it can be undone', () => {
    const state = fold([waiting, done('race[1].nap')])
    expect(state.unwanted).toEqual([{ instanceId: ID, place: 'race[0].kid' }])
    expect([verdict(state), nextDueAt(state)]).toEqual([undefined, undefined])
    applyFact(program, state, done('race[0].kid', 9))
    expect(state.scopes['race[0].kid:undo']?.steps).toMatchObject({ pick: { output: 7 } })
    applyFact(program, state, done('race[0].kid:undo.back'))
    expect(verdict(state)).toMatchObject({ status: 'completed' })
  })

  it('is waited for without a limit of time, also where its due time was not known yet', () => {
    const state = fold([waiting, done('race[1].nap')], undefined)
    expect(nextDueInMs(state)).toBeUndefined()
    stamp(state, 5_000)
    expect(nextDueAt(state)).toBeUndefined()
    const slow = { kind: 'failed', step: 'race[0].kid', attempt: 1, error: { code: 'CHILD_CANCELLED', message: 'x' } }
    applyFact(program, state, slow as Fact)
    expect(verdict(state)).toMatchObject({ status: 'completed' })
  })

  it('is dropped at once in journals of before', () => {
    const { undo: _, ...before } = waiting as Fact & { undo: true }
    const state = fold([before as Fact, done('race[1].nap')])
    expect(state.unwanted).toEqual([{ instanceId: ID, place: 'race[0].kid' }])
    expect(verdict(state)).toMatchObject({ status: 'completed' })
  })

  it('is kept in another version too, with what its compensation reads there', () => {
    const to = raceOf('infant', 'choice')
    const next = migrateState(program, to, fold([waiting]), { kid: 'infant', pick: 'choice' })
    applyFact(to, next, done('race[1].nap'))
    applyFact(to, next, done('race[0].infant', 9))
    expect(next.scopes['race[0].infant:undo']?.steps).toMatchObject({ choice: { output: 7 } })
  })
})

describe('children of what is taken back', () => {
  const many = (live: number[]) => {
    const wait: Wait = {
      ...{ kind: 'children', firstId: ID, definitionId: 'child', items: [1, 2, 3] },
      ...{ concurrency: 2, collect: 'none' },
    }
    const state = fold([{ kind: 'waiting', step: 'race[0].kid', wait }])
    state.waits['race[0].kid']!.children!.live = live
    return state
  }

  it('are those that were waited for, and dropped ones that may not have been told', () => {
    const dropped = fold([waiting, done('race[1].nap')])
    expect(orphans(fold([waiting]), fold([]))).toEqual([{ instanceId: ID, place: 'race[0].kid' }])
    expect(orphans(dropped, fold([]))).toEqual([{ instanceId: ID, place: 'race[0].kid' }])
    expect(orphans(many([1, 2]), fold([]))).toMatchObject([{ place: 'race[0].kid@1' }, { place: 'race[0].kid@2' }])
  })

  it('are not those that are waited for then: of a bulk run also the ones that began since', () => {
    expect(orphans(fold([waiting]), fold([waiting]))).toEqual([])
    expect(orphans(many([2]), many([0, 1]))).toEqual([])
  })
})
