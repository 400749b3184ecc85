import type { StepKey } from '../journal/fact.ts'
import { cancelScope } from './cancel-scope.ts'
import type { GraphState } from './graph-state.ts'

/** Ends the workflow as completed, wherever `step` stands in it: everything else of it that is alive is dropped. */
export function finishAll(state: GraphState, step: StepKey): void {
  const root = state.scopes['']!
  cancelScope(state, '')
  // It ended by itself.
  state.cancelled = state.cancelled.filter((each) => each !== step)
  state.scopes[''] = { ...root, live: [], pending: [] }
}
