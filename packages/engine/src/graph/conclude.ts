import type { Failure, StepKey } from '../journal/fact.ts'
import { cancelParts } from './cancel-scope.ts'
import { partEnded } from './containers/container-rules.ts'
import type { ContainerRun } from './containers/container-run.ts'
import { tryPartFailed } from './containers/try.ts'
import { DEFAULT_OUTCOME, FAILED_OUTCOME } from './document.ts'
import { findHandler } from './find-handler.ts'
import type { StepRecord } from './graph-expression.ts'
import type { GraphProgram } from './graph-program.ts'
import type { GraphState, TryState } from './graph-state.ts'
import { routeTokens } from './route-token.ts'
import type { StepEnd } from './step-end.ts'
import { deactivate } from './tokens.ts'

interface Ending {
  readonly step: StepKey
  readonly end: StepEnd
}

/** Ends an execution and everything that ends with it: the last step of a part may end its container, and so on outward. */
export function conclude(program: GraphProgram, state: GraphState, step: StepKey, end: StepEnd): void {
  let next: Ending | undefined = { step, end }
  while (next !== undefined) {
    next =
      next.end.kind === 'completed'
        ? complete(program, state, next.step, next.end.outcome, { output: next.end.output })
        : fail(program, state, next.step, next.end.error)
  }
}

function complete(
  program: GraphProgram,
  state: GraphState,
  step: StepKey,
  outcome: string,
  record: StepRecord,
): Ending | undefined {
  const execution = state.executions[step]!
  const activity = program.byId.get(execution.activity)!
  const scope = state.scopes[execution.scope]!
  cancelParts(state, step, execution)
  deactivate(program, state, step)
  if (activity.isRead) state.scopes[scope.frame]!.steps![activity.id] = record
  routeTokens(program, state, execution.scope, activity.targets.get(outcome) ?? [], execution.lostTo)
  if (scope.live.length > 0 || scope.owner === '') return undefined
  delete state.scopes[execution.scope]
  const end = partEnded(containerRun(program, state, scope.owner), scope)
  return end && { step: scope.owner, end }
}

function fail(program: GraphProgram, state: GraphState, step: StepKey, error: Failure): Ending | undefined {
  const handler = findHandler(program, state, step)
  if (handler === undefined) return fault(state, step, error)
  if (handler.step !== step) forget(state, step)
  if (handler.by === 'try') {
    const end = tryPartFailed(containerRun(program, state, handler.step) as ContainerRun<TryState>, error)
    return end && { step: handler.step, end }
  }
  const { onError } = program.byId.get(state.executions[handler.step]!.activity)!
  const outcome = onError === 'continue' ? DEFAULT_OUTCOME : FAILED_OUTCOME
  return complete(program, state, handler.step, outcome, { output: null, error })
}

/** Nobody handles it: the instance stands still as it is. */
function fault(state: GraphState, step: StepKey, error: Failure): undefined {
  const failed = state.executions[step]!
  cancelParts(state, step, failed)
  delete state.waits[step]
  failed.phase = 'failed'
  state.status = 'faulted'
  state.error = error
  for (const [other, { phase }] of Object.entries(state.executions)) {
    if (phase !== 'open' && phase !== 'failed') state.cancelled.push(other)
  }
}

/** Takes the failed step away before the rest of its part is cancelled: it ended by itself. */
function forget(state: GraphState, step: StepKey): void {
  const execution = state.executions[step]!
  cancelParts(state, step, execution)
  const { live } = state.scopes[execution.scope]!
  live.splice(live.indexOf(step), 1)
  delete state.executions[step]
  delete state.waits[step]
}

function containerRun(program: GraphProgram, state: GraphState, step: StepKey): ContainerRun {
  const { activity, container } = state.executions[step]!
  return { program, state, step, activity: program.byId.get(activity)!, container: container! }
}
