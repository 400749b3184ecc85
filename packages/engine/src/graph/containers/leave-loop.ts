import { DEFAULT_OUTCOME } from '../document.ts'
import type { ContainerState, ForEachState, ForState, WhileState } from '../graph-state.ts'
import type { StepEnd } from '../step-end.ts'
import { loopOutput } from './for-each.ts'

export type LoopState = ForEachState | ForState | WhileState

export function isLoop(container: ContainerState | undefined): container is LoopState {
  return container?.rule === 'for-each' || container?.rule === 'for' || container?.rule === 'while'
}

/** How a loop ends that was left by a break: turns still alive are dropped with it. */
export function brokenLoop(container: LoopState): StepEnd {
  const output = container.rule === 'while' ? { count: container.next } : loopOutput(container)
  return { kind: 'completed', outcome: DEFAULT_OUTCOME, output: { ...output, broken: true } }
}
