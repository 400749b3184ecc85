import type { Failure } from '../../journal/fact.ts'
import type { GraphState } from '../graph-state.ts'
import type { CompensationView } from './compensation.ts'
import { outermost } from './undo-step.ts'

export const COMPENSATION_FAILED = 'COMPENSATION_FAILED'

/** The failure of an instance whose undoing cannot go on. */
export function compensationFailed(step: string, error: Failure, cause?: Failure): Failure {
  return {
    code: COMPENSATION_FAILED,
    message: `Step "${step}" could not be undone: ${error.message}`,
    step,
    data: { undo: step, error: plain(error), ...(cause && { cause: plain(cause) }) },
  }
}

/** Steps that can be undone or were, in order of completion. */
export function compensationsOf(state: GraphState): CompensationView[] {
  const failed = failedUndo(state)
  return Object.entries(state.compensations ?? {}).map(([step, { phase }]): CompensationView => {
    return { step, state: step === failed ? 'failed' : (phase ?? 'to-undo') }
  })
}

function failedUndo(state: GraphState): string | undefined {
  if (state.error?.code !== COMPENSATION_FAILED) return undefined
  const failed = Object.values(state.executions).find(({ phase }) => phase === 'failed')
  return failed && outermost(state, failed.scope).undo
}

/** Failures are JSON; interfaces cannot say so. */
const plain = (failure: Failure): Record<string, string> => failure as unknown as Record<string, string>
