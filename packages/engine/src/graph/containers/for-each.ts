import type { OpenedFact } from '../../journal/fact.ts'
import { beginScope } from '../begin-scope.ts'
import { DEFAULT_OUTCOME } from '../document.ts'
import type { ForEachState } from '../graph-state.ts'
import type { StepEnd } from '../step-end.ts'
import type { ContainerRun } from './container-run.ts'
import { indexedPartKey } from './part-keys.ts'

export function forEachState(fact: OpenedFact): ForEachState {
  return { rule: 'for-each', items: fact.items ?? [], concurrency: fact.concurrency ?? 1, next: 0, live: 0 }
}

/** Starts turns up to the concurrency; ends the loop when none is left. */
export function startTurns({
  program,
  state,
  step,
  activity,
  container,
}: ContainerRun<ForEachState>): StepEnd | undefined {
  const graph = activity.parts.body!
  while (container.live < container.concurrency && container.next < container.items.length) {
    const index = container.next++
    if (beginScope(program, state, { graph, key: indexedPartKey(step, index), owner: step, index })) container.live++
  }
  if (container.live > 0) return undefined
  return { kind: 'completed', outcome: DEFAULT_OUTCOME, output: { count: container.items.length } }
}

export function turnEnded(run: ContainerRun<ForEachState>): StepEnd | undefined {
  run.container.live--
  return startTurns(run)
}
