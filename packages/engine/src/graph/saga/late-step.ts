/**
 * A step whose branch is cancelled while its code runs may have done what it does: nobody knows before it has ended. Where it can be
 * undone it is not dropped. It moves into a scope of its own, is told to stop, ends (after a crash it runs once more for that), and is
 * undone when it turns out to have completed. A step that can be undone and waits for children is kept in the same way: they are told to
 * cancel, and may have completed before they hear of it. So are children of an instance that is undone.
 */
import type { StepKey } from '../../journal/fact.ts'
import type { ExecutionState, GraphState } from '../graph-state.ts'
import { capture } from './capture.ts'

/** Whether its code may be at work, or may have been when its process died. */
export function mayHaveRun(state: GraphState, step: StepKey, { phase }: ExecutionState): boolean {
  if (phase === 'active') return true
  const wait = phase === 'waiting' ? state.waits[step]?.wait : undefined
  // Its outcome is unclear, and a person was asked.
  return wait?.kind === 'signal' && wait.name === step
}

/** Moves an execution out of a scope that is about to go. */
export function keepLate(state: GraphState, step: StepKey, execution: ExecutionState): void {
  const key = `${step}:late`
  const { steps, turn } = capture(state, execution.scope, execution.undo ?? state.waits[step]?.undo ?? [])
  state.scopes[key] = {
    graph: state.scopes[execution.scope]!.graph,
    owner: '',
    frame: key,
    live: [step],
    pending: [],
    steps,
    late: true,
    ...(turn && { turn }),
  }
  const { lostTo: _, ...rest } = execution
  state.executions[step] = { ...rest, scope: key }
}

export function isLate(state: GraphState, step: StepKey): boolean {
  const execution = state.executions[step]
  return execution !== undefined && state.scopes[execution.scope]?.late === true
}
