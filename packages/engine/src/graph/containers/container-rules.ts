import type { ContainerRule } from '../../activity/activity-type.ts'
import type { OpenedFact } from '../../journal/fact.ts'
import type { CompiledActivity } from '../graph-program.ts'
import type {
  CompensateState,
  ContainerState,
  CriticalSectionState,
  ForEachState,
  ForState,
  ParallelState,
  ScopeState,
  TryState,
  WhileState,
} from '../graph-state.ts'
import { compensateState, startCompensate } from '../saga/compensate-rule.ts'
import type { StepEnd } from '../step-end.ts'
import type { ContainerRun } from './container-run.ts'
import { criticalSectionState, sectionEnded, startSection } from './critical-section.ts'
import { forEachState, forState, startTurns, turnEnded } from './for-each.ts'
import { branchEnded, parallelState, startBranches } from './parallel.ts'
import { startTry, tryPartEnded, tryState } from './try.ts'
import { turnOver, whileState, whileTurn } from './while.ts'

export function containerState(rule: ContainerRule, activity: CompiledActivity, fact: OpenedFact): ContainerState {
  switch (rule) {
    case 'for-each':
      return forEachState(fact)
    case 'for':
      return forState(fact)
    case 'while':
      return whileState()
    case 'parallel':
      return parallelState(activity, fact)
    case 'try':
      return tryState()
    case 'compensate':
      return compensateState()
    case 'critical-section':
      return criticalSectionState(fact)
  }
}

/** An end at once means that there was nothing to run. */
export function startContainer(run: ContainerRun, fact: OpenedFact): StepEnd | undefined {
  switch (run.container.rule) {
    case 'for-each':
    case 'for':
      return startTurns(run as ContainerRun<ForEachState | ForState>)
    case 'while':
      return whileTurn(run as ContainerRun<WhileState>, fact)
    case 'parallel':
      return startBranches(run as ContainerRun<ParallelState>)
    case 'try':
      return startTry(run as ContainerRun<TryState>)
    case 'compensate':
      return startCompensate(run as ContainerRun<CompensateState>, fact)
    case 'critical-section':
      return startSection(run as ContainerRun<CriticalSectionState>)
  }
}

/** Nothing is alive any more in one of its parts. */
export function partEnded(run: ContainerRun, part: ScopeState): StepEnd | undefined {
  switch (run.container.rule) {
    case 'for-each':
    case 'for':
      return turnEnded(run as ContainerRun<ForEachState | ForState>, part)
    case 'while':
      return turnOver(run as ContainerRun<WhileState>)
    case 'parallel':
      return branchEnded(run as ContainerRun<ParallelState>, part.index ?? 0)
    case 'try':
      return tryPartEnded(run as ContainerRun<TryState>)
    case 'compensate':
      return undefined // it has no parts: what it undoes stands beside it
    case 'critical-section':
      return sectionEnded(run as ContainerRun<CriticalSectionState>)
  }
}
