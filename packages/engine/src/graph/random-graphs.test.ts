import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { factFromRow, factToRow } from '../journal/fact.ts'
import { applyFact } from './apply-fact.ts'
import { visibleSteps } from './expression-scope.ts'
import { predict } from './fixtures/oracle.fixture.ts'
import { randomDocuments } from './fixtures/random-document.fixture.ts'
import { type RandomRun, runRandomly } from './fixtures/random-run.fixture.ts'
import { sectionsOf } from './fixtures/toy-locks.fixture.ts'
import { toyCatalogue } from './fixtures/toy-shell.fixture.ts'
import { reaches } from './graph-program.ts'
import { type GraphState, initialState } from './graph-state.ts'
import { resetReady, takeReady } from './ready.ts'
import { validateDocument } from './validate-document.ts'

const RUNS = 200
const seeds = fc.integer()

/** As a process sees it that has just restored it. */
function normalised(run: Pick<RandomRun, 'program'>, state: GraphState): GraphState {
  const copy: GraphState = JSON.parse(JSON.stringify(state))
  resetReady(run.program, copy)
  return copy
}

const isUndo = (step: string): boolean => step.includes(':undo.')
const activityOf = (step: string): string => /(\w+)(?:#\d+)?$/.exec(step)![1]!

describe('random graphs', () => {
  it('are valid documents', () => {
    fc.assert(
      fc.property(randomDocuments({ cycles: true, undoes: true }), (document) => {
        const errors = validateDocument(document, toyCatalogue).filter(({ severity }) => severity === 'error')
        expect(errors.filter(({ code }) => code !== 'UNKNOWN_OUTCOME')).toEqual([])
      }),
      { numRuns: 100 },
    )
  })

  it('without cycles run exactly the steps that an independent model predicts, in any order of events', () => {
    fc.assert(
      fc.property(randomDocuments({ undoes: true }), seeds, (document, seed) => {
        const run = runRandomly(document, seed)
        const prediction = predict(document)
        const ran = new Set(run.ran.filter((step) => !isUndo(step)))
        expect(run.state.end?.status).toBe(prediction.failed ? 'faulted' : 'completed')
        expect([...prediction.required].filter((step) => !ran.has(step))).toEqual([])
        expect([...ran].filter((step) => !prediction.allowed.has(step))).toEqual([])
      }),
      { numRuns: RUNS },
    )
  })

  it('without cycles end each step once', () => {
    fc.assert(
      fc.property(randomDocuments({ undoes: true }), seeds, (document, seed) => {
        const { ran } = runRandomly(document, seed)
        expect(new Set(ran).size).toBe(ran.length)
        expect(ran.filter((step) => step.includes('#'))).toEqual([])
      }),
      { numRuns: RUNS },
    )
  })

  it('hold a join back while anything alive can still reach it', () => {
    fc.assert(
      fc.property(randomDocuments({ joins: ['all'] }), seeds, (document, seed) => {
        runRandomly(document, seed, {
          activated({ program, state }, { step, activity }) {
            if (activity.join !== 'all') return
            const scope = state.scopes[state.executions[step]!.scope]!
            const alive = [...scope.live.map((other) => state.executions[other]!), ...scope.pending]
            const others = alive.map((other) => program.byId.get(other.activity)!)
            expect(others.filter((other) => reaches(other, activity)).map(({ id }) => id)).toEqual([])
          },
        })
      }),
      { numRuns: RUNS },
    )
  })

  it('that a step finishes run nothing but what the model allows, and complete', () => {
    let finishedCount = 0
    fc.assert(
      fc.property(randomDocuments({ finishes: true, behaviours: ['ok', 'wait', 'retry'] }), seeds, (document, seed) => {
        const run = runRandomly(document, seed)
        const prediction = predict(document)
        const finished = run.ran.filter((step) => run.program.byId.get(activityOf(step))?.type.type === 'finish')
        finishedCount += finished.length
        expect(finished.length).toBeLessThanOrEqual(1)
        expect(run.state.end?.status).toBe('completed')
        expect(run.ran.filter((step) => !prediction.allowed.has(step))).toEqual([])
        // Its fact is the last but the end: whatever else was alive was dropped with it.
        if (finished.length > 0) expect(run.journal.at(-2)?.fact).toMatchObject({ step: finished[0] })
        expect(run.state).toMatchObject({ executions: {}, scopes: {}, waits: {} })
      }),
      { numRuns: RUNS },
    )
    expect(finishedCount).toBeGreaterThan(RUNS / 10)
  })

  it('show the steps of a critical section the fence of its last grant', () => {
    let [seenCount, waitCount, againCount] = [0, 0, 0]
    const documents = randomDocuments({
      containers: ['critical-section', 'critical-section', 'for-each'],
      cycles: true,
    })
    fc.assert(
      fc.property(documents, seeds, (document, seed) => {
        const { journal } = runRandomly(document, seed, {
          committed({ state, journal }) {
            for (const { step } of sectionsOf(state)) {
              const grants = journal.flatMap(({ fact }) =>
                (fact.kind === 'opened' || fact.kind === 'locked') && fact.step === step ? [fact.fence] : [],
              )
              const frame = state.scopes[state.scopes[step]!.frame]!
              const seen = visibleSteps(state, frame, { reads: 'all' })[state.executions[step]!.activity]
              expect(seen).toMatchObject({ output: { fence: grants.at(-1) } })
              seenCount++
            }
          },
        })
        for (const { fact } of journal) {
          if (fact.kind === 'waiting' && fact.wait.kind === 'lock') waitCount++
          if (fact.kind === 'locked') againCount++
        }
      }),
      { numRuns: RUNS },
    )
    expect([seenCount, waitCount, againCount].filter((count) => count === 0)).toEqual([])
  })

  it('have the correlation id of the last step that gave one', () => {
    let givenCount = 0
    fc.assert(
      fc.property(randomDocuments({ finishes: true, cycles: true, undoes: true }), seeds, (document, seed) => {
        const { state, journal } = runRandomly(document, seed)
        const given = journal.flatMap(({ fact }) => (fact.kind === 'completed' ? (fact.correlationId ?? []) : []))
        givenCount += given.length
        expect(state.correlationId).toBe(given.at(-1))
      }),
      { numRuns: RUNS / 4 },
    )
    expect(givenCount).toBeGreaterThan(0)
  })

  it('have the variable and the output that were set last', () => {
    let setCount = 0
    fc.assert(
      fc.property(randomDocuments({ finishes: true, cycles: true, undoes: true }), seeds, (document, seed) => {
        const { state, journal } = runRandomly(document, seed)
        const set = (of: 'assign' | 'result') =>
          journal.flatMap(({ fact }) => (fact.kind === 'completed' ? (fact[of]?.last ?? []) : [])).at(-1)
        if (set('assign') !== undefined && set('result') !== undefined) setCount++
        expect(state.variables.last ?? undefined).toBe(set('assign'))
        expect(state.output.last).toBe(set('result'))
      }),
      { numRuns: RUNS },
    )
    expect(setCount).toBeGreaterThan(0)
  })

  it('undo each step once, after it completed, and all of them where nobody handled a failure', () => {
    let undoneCount = 0
    fc.assert(
      fc.property(randomDocuments({ finishes: true, undoes: true }), seeds, (document, seed) => {
        const { program, state, ran, journal } = runRandomly(document, seed)
        const undone = ran.filter(isUndo).map((step) => step.split(':undo.')[0]!)
        const done = journal.flatMap(({ fact }) =>
          fact.kind === 'completed' && program.byId.get(activityOf(fact.step))?.parts.compensate ? [fact.step] : [],
        )
        expect(new Set(undone).size).toBe(undone.length)
        expect(undone.filter((step) => !done.includes(step))).toEqual([])
        for (const step of undone)
          expect(ran.indexOf(step)).toBeLessThan(ran.indexOf(`${step}:undo.${activityOf(step)}u`))
        if (state.end?.status === 'faulted') expect([...undone].sort()).toEqual([...done].sort())
        undoneCount += undone.length
      }),
      { numRuns: RUNS },
    )
    expect(undoneCount).toBeGreaterThan(RUNS / 10)
  })

  it('with cycles come to an end without a deadlock', () => {
    fc.assert(
      fc.property(randomDocuments({ finishes: true, cycles: true, undoes: true }), seeds, (document, seed) => {
        const { state } = runRandomly(document, seed)
        expect(state.status).toBe('ended')
      }),
      { numRuns: RUNS },
    )
  })

  it('leave nothing behind when they complete', () => {
    fc.assert(
      fc.property(
        randomDocuments({ finishes: true, cycles: true, undoes: true, behaviours: ['ok', 'wait', 'retry'] }),
        seeds,
        (document, seed) => {
          const { state } = runRandomly(document, seed)
          expect(state).toMatchObject({ executions: {}, scopes: {}, waits: {}, unstamped: [] })
        },
      ),
      { numRuns: RUNS / 4 },
    )
  })

  it('are at every commit what a replay of their journal makes of them', () => {
    fc.assert(
      fc.property(randomDocuments({ finishes: true, cycles: true, undoes: true }), seeds, (document, seed) => {
        let folded: GraphState | undefined
        let position = 0
        runRandomly(document, seed, {
          committed({ program, state, journal }) {
            folded ??= initialState(program)
            for (; position < journal.length; position++) {
              const { fact, at } = journal[position]!
              const { kind, data } = factToRow(fact)
              applyFact(program, folded, factFromRow({ kind, data: JSON.parse(data) }), at)
            }
            expect(normalised({ program }, folded)).toEqual(normalised({ program }, state))
            // From here on the replay goes on from a snapshot.
            folded = JSON.parse(JSON.stringify(folded))
          },
        })
      }),
      { numRuns: RUNS },
    )
  })

  it('offer after a restore what was alive and not waiting, in the same order', () => {
    fc.assert(
      fc.property(randomDocuments({ finishes: true, cycles: true, undoes: true }), seeds, (document, seed) => {
        runRandomly(document, seed, {
          committed({ program, state }) {
            const restored = normalised({ program }, state)
            const active = Object.entries(state.executions).filter(([, { phase }]) => phase === 'active')
            const expected = state.status === 'running' ? active.map(([step]) => step) : []
            expect(takeReady(program, restored).map(({ step }) => step)).toEqual(expected)
          },
        })
      }),
      { numRuns: RUNS / 4 },
    )
  })

  it('can be replayed from scratch at any single fact', () => {
    fc.assert(
      fc.property(randomDocuments({ finishes: true, undoes: true }), seeds, fc.nat(), (document, seed, pick) => {
        const { program, journal } = runRandomly(document, seed)
        const cut = pick % journal.length
        const early = initialState(program)
        for (const { fact, at } of journal.slice(0, cut)) applyFact(program, early, fact, at)
        const resumed: GraphState = JSON.parse(JSON.stringify(early))
        for (const { fact, at } of journal.slice(cut)) applyFact(program, resumed, fact, at)
        const whole = initialState(program)
        for (const { fact, at } of journal) applyFact(program, whole, fact, at)
        expect(normalised({ program }, resumed)).toEqual(normalised({ program }, whole))
      }),
      { numRuns: RUNS / 4 },
    )
  })
})
