import type { GraphProgram } from './graph-program.ts'
import type { ContainerState, GraphState } from './graph-state.ts'
import { resetReady } from './ready.ts'
import { activateAgain } from './tokens.ts'

/** Undoes a fault or a quarantine: a failed step runs from its first attempt, a failed container anew (a while whose condition failed: from there), all others where they stood. */
export function retryFaulted(program: GraphProgram, state: GraphState): void {
  state.status = 'running'
  delete state.error
  delete state.end
  for (const [step, execution] of Object.entries(state.executions)) {
    if (execution.phase !== 'failed') continue
    if (execution.container !== undefined && !asksCondition(execution.container)) activateAgain(program, state, step)
    else {
      execution.phase = 'active'
      execution.attempt = 1
      delete execution.announced
    }
  }
  resetReady(program, state)
}

const asksCondition = (container: ContainerState): boolean => container.rule === 'while' && container.asks === true
