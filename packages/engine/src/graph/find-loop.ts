import type { StepKey } from '../journal/fact.ts'
import { isLoop } from './containers/leave-loop.ts'
import { delaysJump } from './containers/try.ts'
import type { GraphProgram } from './graph-program.ts'
import type { GraphState, ScopeKey } from './graph-state.ts'

export interface JumpTarget {
  /** A container around the step. */
  readonly step: StepKey
  /** The part of it that the step is in. */
  readonly part: ScopeKey
  /** `try`: its finally comes first. */
  readonly by: 'loop' | 'try'
}

/** Where a break or continue of `step` leads, going outward. Changes nothing. */
export function findLoop(program: GraphProgram, state: GraphState, step: StepKey): JumpTarget | undefined {
  for (let part = state.executions[step]!.scope; ; ) {
    const { owner } = state.scopes[part]!
    if (owner === '') return undefined
    const { activity, container, scope } = state.executions[owner]!
    if (isLoop(container)) return { step: owner, part, by: 'loop' }
    if (container?.rule === 'try' && delaysJump(program.byId.get(activity)!, container)) {
      return { step: owner, part, by: 'try' }
    }
    part = scope
  }
}
