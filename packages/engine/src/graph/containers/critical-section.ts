import type { OpenedFact } from '../../journal/fact.ts'
import { beginScope } from '../begin-scope.ts'
import { DEFAULT_OUTCOME } from '../document.ts'
import type { CriticalSectionState, ExecutionState, GraphState } from '../graph-state.ts'
import type { StepEnd } from '../step-end.ts'
import type { ContainerRun } from './container-run.ts'

export function criticalSectionState({ lock = '', fence = '0', ttlMs }: OpenedFact): CriticalSectionState {
  return { rule: 'critical-section', lock, fence, ...(ttlMs === undefined ? {} : { ttlMs }) }
}

export function startSection(run: ContainerRun<CriticalSectionState>): StepEnd | undefined {
  const { program, state, step, activity, container } = run
  tellFence(state, state.executions[step]!, container.fence)
  const graph = activity.parts.body!
  return beginScope(program, state, { graph, key: step, owner: step }) ? undefined : sectionEnded(run)
}

export function sectionEnded({ container }: ContainerRun<CriticalSectionState>): StepEnd {
  return { kind: 'completed', outcome: DEFAULT_OUTCOME, output: { lock: container.lock, fence: container.fence } }
}

/** The body reads the fence while the section is open: kept whether or not an expression names it, for it is small. */
export function tellFence(state: GraphState, execution: ExecutionState, fence: string): void {
  const container = execution.container as CriticalSectionState
  container.fence = fence
  const { frame } = state.scopes[execution.scope]!
  state.scopes[frame]!.steps![execution.activity] = { output: { lock: container.lock, fence } }
}
