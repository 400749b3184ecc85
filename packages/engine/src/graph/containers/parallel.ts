import type { OpenedFact } from '../../journal/fact.ts'
import { beginScope } from '../begin-scope.ts'
import { DEFAULT_OUTCOME } from '../document.ts'
import type { CompiledActivity } from '../graph-program.ts'
import type { ParallelState } from '../graph-state.ts'
import type { StepEnd } from '../step-end.ts'
import type { ContainerRun } from './container-run.ts'
import { indexedPartKey } from './part-keys.ts'

export function parallelState(activity: CompiledActivity, fact: OpenedFact): ParallelState {
  return { rule: 'parallel', join: fact.join ?? 'all', branches: activity.parts.branches?.length ?? 0, live: 0 }
}

export function startBranches(run: ContainerRun<ParallelState>): StepEnd | undefined {
  const { program, state, step, activity, container } = run
  for (const [index, graph] of activity.parts.branches!.entries()) {
    if (beginScope(program, state, { graph, key: indexedPartKey(step, index), owner: step, index })) container.live++
    else if (container.join === 'any') return wonBy(index)
  }
  return endIfDone(run)
}

export function branchEnded(run: ContainerRun<ParallelState>, index: number): StepEnd | undefined {
  run.container.live--
  return run.container.join === 'any' ? wonBy(index) : endIfDone(run)
}

function endIfDone({ container }: ContainerRun<ParallelState>): StepEnd | undefined {
  return container.live > 0 ? undefined : { kind: 'completed', outcome: DEFAULT_OUTCOME, output: {} }
}

/** The branches still alive are dropped with the container. */
const wonBy = (branch: number): StepEnd => ({ kind: 'completed', outcome: DEFAULT_OUTCOME, output: { branch } })
