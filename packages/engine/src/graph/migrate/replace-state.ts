import type { Json } from '@lockstep/base'
import type { RecordedFact } from '../../store/agenda-store.ts'
import type { GraphState } from '../graph-state.ts'

/** The instance is what a fact says it is, whatever it was before. Only the number of its facts goes on. */
export function replaceState(state: GraphState, next: Json): void {
  const seq = state.seq + 1
  for (const key of Object.keys(state)) delete (state as unknown as Record<string, unknown>)[key]
  // A copy: the fact may be folded again, and a state is changed in place.
  Object.assign(state, structuredClone(next), { seq })
}

/**
 * Where folding has to begin: at the last fact that brings a whole state. What comes before it may be in terms of another version of the
 * program. 0: at the first fact.
 */
export function foldFrom(facts: readonly RecordedFact[]): number {
  for (let index = facts.length - 1; index >= 0; index -= 1) {
    const { kind } = facts[index]!
    if (kind === 'migrated' || kind === 'rewound') return index
  }
  return 0
}
