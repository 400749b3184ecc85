import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Fact, StepKey } from '../../journal/fact.ts'
import { applyFact } from '../apply-fact.ts'
import type { ActivityDocument, GraphBody } from '../document.ts'
import { type ToyProgram, toyBody, toyDocument, toyProgram } from '../fixtures/toy-shell.fixture.ts'
import { foldJournal } from '../fold-journal.ts'
import { type GraphState, initialState } from '../graph-state.ts'
import { resetReady } from '../ready.ts'
import { verdict } from '../verdict.ts'
import { compensationsOf } from './compensation-view.ts'

/** Sequences of steps, loops, branches and tries, nested; most steps can be undone. */
type Shape =
  | { readonly kind: 'step'; readonly undo: boolean }
  | { readonly kind: 'loop' | 'race' | 'both' | 'try'; readonly parts: Shape[] }

const shapes = fc.letrec<{ shape: Shape; list: Shape[] }>((tie) => ({
  shape: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ kind: fc.constant('step' as const), undo: fc.integer({ min: 0, max: 3 }).map((n) => n > 0) }),
    fc.record({
      kind: fc.constantFrom('loop' as const, 'race' as const, 'both' as const, 'try' as const),
      parts: tie('list'),
    }),
  ),
  list: fc.array(tie('shape'), { minLength: 1, maxLength: 4 }),
})).list

function build(parts: readonly Shape[], names: { count: number }): GraphBody {
  const activities = parts.map((part) => activityOf(part, names))
  return toyBody(
    activities,
    activities.slice(1).map((each, at) => `${activities[at]!.id} -> ${each.id}`),
  )
}

function activityOf(shape: Shape, names: { count: number }): ActivityDocument {
  const id = `n${names.count++}`
  if (shape.kind === 'step') {
    const undo = toyBody([`${id}-u1`, `${id}-u2`], [`${id}-u1 -> ${id}-u2`])
    return { id, type: 'book', ...(shape.undo && { compensate: undo }) }
  }
  if (shape.kind === 'loop') return { id, type: 'for-each', inputs: { items: [] }, body: build(shape.parts, names) }
  if (shape.kind === 'try') {
    return {
      id,
      type: 'try',
      body: build(shape.parts, names),
      catch: toyBody([{ id: `${id}-undo`, type: 'compensate' }, `${id}-after`], [`${id}-undo -> ${id}-after`]),
    }
  }
  const branches = shape.parts.map((part) => build([part], names))
  return { id, type: 'parallel', inputs: { join: shape.kind === 'race' ? 'any' : 'all' }, branches }
}

interface Run {
  readonly facts: Fact[]
  readonly state: GraphState
  /** Steps that can be undone, as they completed; steps whose undoing began, and ended. */
  readonly completed: StepKey[]
  readonly begun: StepKey[]
  readonly undone: StepKey[]
  /** What was done and not taken back when the instance began to undo itself, oldest first. */
  pending: StepKey[] | undefined
}

function factFor(program: ToyProgram, state: GraphState, step: StepKey, draw: () => number, isWild: boolean): Fact {
  const { activity: id, attempt } = state.executions[step]!
  const { container, inputs } = program.byId.get(id)!
  if (container === 'for-each') return { kind: 'opened', step, items: [1, 2], concurrency: 1 + Math.floor(draw() * 2) }
  if (container === 'parallel') return { kind: 'opened', step, join: inputs.literal!.join as 'all' | 'any' }
  if (container !== undefined) return { kind: 'opened', step }
  const fails = isWild && draw() < 0.08 && !step.includes(':undo.')
  return fails
    ? { kind: 'failed', step, attempt, error: { code: 'BROKEN', message: 'it broke' } }
    : { kind: 'completed', step, outcome: 'done', output: step }
}

/** Runs it in a random order, with random failures and perhaps a cancel. After any fact it may go on from a replay of its journal. */
function play(program: ToyProgram, draw: () => number, cancels: boolean): Run {
  let state = initialState(program)
  const run = {
    facts: [] as Fact[],
    completed: [] as StepKey[],
    begun: [] as StepKey[],
    undone: [] as StepKey[],
    pending: undefined as StepKey[] | undefined,
  }
  const apply = (fact: Fact): void => {
    const before = new Set(Object.keys(state.scopes))
    const known = new Set(Object.keys(state.compensations ?? {}))
    applyFact(program, state, fact, run.facts.length)
    run.facts.push(fact)
    if (
      fact.kind === 'completed' &&
      !known.has(fact.step) &&
      program.byId.get(fact.step.split('.').at(-1)!)?.parts.compensate
    )
      run.completed.push(fact.step)
    if (state.undoing !== undefined) {
      run.pending ??= Object.entries(state.compensations ?? {})
        .filter(([step, { phase }]) => phase === undefined || state.undoing!.line.includes(step))
        .map(([step]) => step)
        .filter((step) => !before.has(`${step}:undo`))
    }
    for (const [key, { undo }] of Object.entries(state.scopes))
      if (undo !== undefined && !before.has(key)) run.begun.push(undo)
    for (const key of before) if (key.endsWith(':undo') && !state.scopes[key]) run.undone.push(key.slice(0, -5))
  }
  apply({ kind: 'started', input: null })
  for (let turn = 0; verdict(state) === undefined; turn += 1) {
    if (turn > 2_000) throw new Error(`no end: ${JSON.stringify(state)}`)
    if (cancels && state.undoing === undefined && draw() < 0.05) {
      apply({ kind: 'cancelled' })
      continue
    }
    if (draw() < 0.1) {
      const again = foldJournal(
        program,
        undefined,
        run.facts.map((fact, at) => ({ seq: at + 1, kind: fact.kind, data: fact, at })),
      )
      resetReady(program, again)
      resetReady(program, state)
      expect(again).toEqual(JSON.parse(JSON.stringify(state)))
      state = again
    }
    const active = Object.keys(state.executions).filter((step) => state.executions[step]!.phase === 'active')
    if (active.length === 0) throw new Error(`stranded: ${JSON.stringify(state)}`)
    const step = active[Math.floor(draw() * active.length)]!
    apply(factFor(program, state, step, draw, true))
  }
  return { ...run, state }
}

/** Even draws: those of the library prefer the ends, where nothing gets far. */
function drawsFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) >>> 0
    return ((state ^ (state >>> 13)) >>> 0) / 0x1_0000_0000
  }
}

describe('random sagas', () => {
  it('undo all that completed, each once, newest first, or keep all', () => {
    let undoneCount = 0
    fc.assert(
      fc.property(shapes, fc.integer(), fc.boolean(), (parts, seed, cancels) => {
        const program = toyProgram(toyDocument([...build(parts, { count: 0 }).activities], connectionsOf(parts)))
        const draw = drawsFrom(seed)
        const { state, completed, begun, undone, pending } = play(program, draw, cancels)
        expect(new Set(begun).size).toBe(begun.length)
        expect([...undone].sort()).toEqual([...begun].sort())
        expect(begun.every((step) => completed.includes(step))).toBe(true)
        const end = verdict(state)!
        if (end.status === 'completed') return
        if (undone.length > 1) undoneCount += 1
        // Whatever went on beside, all is undone in the end.
        expect([...undone].sort()).toEqual([...completed].sort())
        expect(compensationsOf(state).every((each) => each.state === 'undone')).toBe(true)
        expect(Object.keys(state.scopes)).toEqual(
          state.undoing === undefined && end.status === 'faulted' ? [...Object.keys(state.scopes)] : [],
        )
        // One after the other, newest first; those who came late before them.
        const inLine = undone.filter((step) => pending?.includes(step))
        expect(inLine).toEqual([...(pending ?? [])].reverse())
        const first = begun.findIndex((step) => pending?.includes(step))
        expect(first < 0 || begun.slice(first).every((step) => pending?.includes(step))).toBe(true)
      }),
      { numRuns: 400 },
    )
    expect(undoneCount).toBeGreaterThan(50)
  })
})

const connectionsOf = (parts: readonly Shape[]): string[] => {
  const body = build(parts, { count: 0 })
  return (body.connections ?? []).map(({ from, to }) => `${from} -> ${to}`)
}
