import type { StepKey } from '../journal/fact.ts'
import { handlesFailure } from './containers/try.ts'
import type { GraphProgram } from './graph-program.ts'
import type { GraphState } from './graph-state.ts'

export interface FailureHandler {
  /** The failed step itself, or a container around it. */
  readonly step: StepKey
  /** `policy`: its `onError` lets it go on. `try`: its catch or finally comes next. */
  readonly by: 'policy' | 'try'
}

/** Who deals with a failure of `step`, going outward. Changes nothing, so that an unhandled failure leaves all in place. */
export function findHandler(program: GraphProgram, state: GraphState, step: StepKey): FailureHandler | undefined {
  for (let current = step; ; ) {
    const execution = state.executions[current]!
    if (program.byId.get(execution.activity)!.onError !== 'fault') return { step: current, by: 'policy' }
    const { owner } = state.scopes[execution.scope]!
    if (owner === '') return undefined
    const { activity, container } = state.executions[owner]!
    if (container?.rule === 'try' && handlesFailure(program.byId.get(activity)!, container)) {
      return { step: owner, by: 'try' }
    }
    current = owner
  }
}
