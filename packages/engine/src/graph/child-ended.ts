import { isJsonObject } from '@lockstep/base'
import type { Fact, StepKey } from '../journal/fact.ts'
import { type GraphProgram, isConnected } from './graph-program.ts'
import type { GraphState } from './graph-state.ts'

/** The fact that follows from the end of a child: a failure, unless the child completed or an outcome is connected for how it ended. */
export function childEnded(program: GraphProgram, state: GraphState, step: StepKey, payload: unknown): Fact {
  const { status, output, error } = isJsonObject(payload) ? payload : { status: 'faulted', output: null, error: null }
  if (status === 'completed') return { kind: 'completed', step, outcome: 'done', output: output ?? null, by: 'child' }
  const execution = state.executions[step]
  const activity = execution && program.byId.get(execution.activity)
  const outcome = status === 'faulted' ? 'faulted' : 'cancelled'
  if (activity !== undefined && isConnected(activity, outcome))
    return { kind: 'completed', step, outcome, output: { error: error ?? null }, by: 'child' }
  const message =
    isJsonObject(error) && typeof error.message === 'string'
      ? error.message
      : `The child workflow ended as ${String(status)}`
  return {
    kind: 'failed',
    step,
    attempt: execution?.attempt ?? 1,
    error: { code: outcome === 'faulted' ? 'CHILD_FAULTED' : 'CHILD_CANCELLED', message, step, data: error ?? null },
  }
}
