import { factFromRow } from '../journal/fact.ts'
import type { RecordedFact } from '../store/agenda-store.ts'
import { applyFact } from './apply-fact.ts'
import type { GraphProgram } from './graph-program.ts'
import { type GraphState, initialState } from './graph-state.ts'
import { foldFrom } from './migrate/replace-state.ts'
import { stamp } from './waits.ts'

/** A state as it was after one of its facts, and when that was committed. */
export interface GraphSnapshot {
  readonly state: unknown
  readonly at: number
}

/** The instance as its journal tells: its last snapshot, which becomes part of the answer, and the facts since. */
export function foldJournal(
  program: GraphProgram,
  snapshot: GraphSnapshot | undefined,
  facts: readonly RecordedFact[],
): GraphState {
  const from = foldFrom(facts)
  const state = snapshot === undefined || from > 0 ? initialState(program) : (snapshot.state as GraphState)
  if (snapshot !== undefined) stamp(state, snapshot.at)
  if (from > 0) state.seq = facts[from]!.seq - 1
  for (const row of from > 0 ? facts.slice(from) : facts) applyFact(program, state, factFromRow(row), row.at)
  return state
}
