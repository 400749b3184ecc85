import type { StepKey } from '../journal/fact.ts'
import { openPartKeys } from './containers/part-keys.ts'
import type { ExecutionState, GraphState, ScopeKey } from './graph-state.ts'
import { keepLate, mayHaveRun } from './saga/late-step.ts'
import { disown, stopWaiting } from './unwanted-children.ts'

/**
 * Drops everything alive in a scope, inner scopes first, and lists what may have running code or a bookmark. A step that can be undone and
 * may have been at work, or whose children may be, goes on elsewhere to its end, unless `forGood`.
 */
export function cancelScope(state: GraphState, key: ScopeKey, forGood = false): void {
  const scope = state.scopes[key]
  if (scope === undefined) return
  for (const step of scope.live) {
    const execution = state.executions[step]!
    cancelParts(state, step, execution, forGood)
    if (execution.undo !== undefined && !forGood && mayHaveRun(state, step, execution)) {
      keepLate(state, step, execution)
      if (execution.phase === 'active') state.cancelled.push(step)
      continue
    }
    if (state.waits[step]?.undo !== undefined && !forGood) {
      stopWaiting(state, step)
      keepLate(state, step, execution)
      continue
    }
    if (!forGood) disown(state, step)
    delete state.executions[step]
    delete state.waits[step]
    if (execution.phase !== 'open') state.cancelled.push(step)
  }
  delete state.scopes[key]
}

/** Drops what runs inside a container; the container itself stays. */
export function cancelParts(state: GraphState, step: StepKey, execution: ExecutionState, forGood = false): void {
  if (execution.container === undefined) return
  for (const key of openPartKeys(step, execution.container)) cancelScope(state, key, forGood)
}
