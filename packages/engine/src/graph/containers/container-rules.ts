import type { ContainerRule } from '../../activity/activity-type.ts'
import type { OpenedFact } from '../../journal/fact.ts'
import type { CompiledActivity } from '../graph-program.ts'
import type { ContainerState, ForEachState, ParallelState, ScopeState, TryState } from '../graph-state.ts'
import type { StepEnd } from '../step-end.ts'
import type { ContainerRun } from './container-run.ts'
import { forEachState, startTurns, turnEnded } from './for-each.ts'
import { branchEnded, parallelState, startBranches } from './parallel.ts'
import { startTry, tryPartEnded, tryState } from './try.ts'

export function containerState(rule: ContainerRule, activity: CompiledActivity, fact: OpenedFact): ContainerState {
  switch (rule) {
    case 'for-each':
      return forEachState(fact)
    case 'parallel':
      return parallelState(activity, fact)
    case 'try':
      return tryState()
  }
}

/** An end at once means that there was nothing to run. */
export function startContainer(run: ContainerRun): StepEnd | undefined {
  switch (run.container.rule) {
    case 'for-each':
      return startTurns(run as ContainerRun<ForEachState>)
    case 'parallel':
      return startBranches(run as ContainerRun<ParallelState>)
    case 'try':
      return startTry(run as ContainerRun<TryState>)
  }
}

/** Nothing is alive any more in one of its parts. */
export function partEnded(run: ContainerRun, part: ScopeState): StepEnd | undefined {
  switch (run.container.rule) {
    case 'for-each':
      return turnEnded(run as ContainerRun<ForEachState>)
    case 'parallel':
      return branchEnded(run as ContainerRun<ParallelState>, part.index ?? 0)
    case 'try':
      return tryPartEnded(run as ContainerRun<TryState>)
  }
}
