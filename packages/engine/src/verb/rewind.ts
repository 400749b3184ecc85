import type { Json } from '@lockstep/base'
import { applyFact } from '../graph/apply-fact.ts'
import type { GraphProgram } from '../graph/graph-program.ts'
import { type GraphState, initialState } from '../graph/graph-state.ts'
import { foldFrom } from '../graph/migrate/replace-state.ts'
import { orphans, replaceUnwanted } from '../graph/unwanted-children.ts'
import { factFromRow, type StepKey } from '../journal/fact.ts'
import type { RecordedFact } from '../store/agenda-store.ts'

/** A moment to go back to. */
export interface Rewind {
  /** The fact with which the step began. */
  readonly toSeq: number
  /** The instance as it was then, with the count of how often it was taken back, and the children that are forgotten with what started them. */
  readonly state: Json
}

/**
 * The last moment at which a step began, by the whole journal. `undefined`: it never did, or before the instance got its present version.
 * Everything since is forgotten, also in branches beside it: they had not come further then.
 */
export function findRewind(program: GraphProgram, facts: readonly RecordedFact[], step: StepKey): Rewind | undefined {
  let found: { toSeq: number; state: GraphState } | undefined
  let wasAlive = false
  const state = foldSteps(program, facts, (at, seq) => {
    const isAlive = at.status === 'running' && Object.hasOwn(at.executions, step)
    if (isAlive && !wasAlive) found = { toSeq: seq, state: structuredClone(at) }
    wasAlive = isAlive
  })
  if (found === undefined) return undefined
  const { rewinds = 0 } = state
  replaceUnwanted(state, found.state)
  const unwanted = orphans(state, found.state)
  const { unwanted: _, ...then } = found.state
  const back: GraphState = {
    ...{ ...then, rewinds: rewinds + 1, ready: [], cancelled: [] },
    ...(unwanted.length > 0 && { unwanted }),
  }
  return { toSeq: found.toSeq, state: JSON.parse(JSON.stringify(back)) }
}

/** Every step that a graph could be taken back to, in order. */
export function stepsToRewind(program: GraphProgram, facts: readonly RecordedFact[]): StepKey[] {
  const steps = new Set<StepKey>()
  foldSteps(program, facts, (state) => {
    for (const step of Object.keys(state.executions)) steps.add(step)
  })
  return [...steps]
}

function foldSteps(
  program: GraphProgram,
  facts: readonly RecordedFact[],
  each: (state: GraphState, seq: number) => void,
): GraphState {
  const from = foldFrom(facts)
  const state = initialState(program)
  state.seq = (facts[from]?.seq ?? 1) - 1
  for (const row of facts.slice(from)) {
    applyFact(program, state, factFromRow(row), row.at)
    each(state, row.seq)
  }
  return state
}
