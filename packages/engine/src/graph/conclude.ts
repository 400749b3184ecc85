import { type Failure, isBreach, type StepKey } from '../journal/fact.ts'
import { cancelParts, cancelScope } from './cancel-scope.ts'
import { partEnded } from './containers/container-rules.ts'
import type { ContainerRun } from './containers/container-run.ts'
import { brokenLoop, type LoopState } from './containers/leave-loop.ts'
import { tryPartFailed, tryPartLeft } from './containers/try.ts'
import { DEFAULT_OUTCOME, FAILED_OUTCOME } from './document.ts'
import { findHandler } from './find-handler.ts'
import { findLoop } from './find-loop.ts'
import type { StepRecord } from './graph-expression.ts'
import type { CompiledActivity, GraphProgram } from './graph-program.ts'
import type { GraphState, LoopJump, ScopeKey, TryState } from './graph-state.ts'
import { routeTokens } from './route-token.ts'
import { compensationFailed } from './saga/compensation-view.ts'
import { type Ending, lateEnded, undoEnded } from './saga/end-beside.ts'
import { hasToUndo, undoAll } from './saga/undo-all.ts'
import { outermost, remember } from './saga/undo-step.ts'
import type { StepEnd } from './step-end.ts'
import { deactivate } from './tokens.ts'

/** Ends an execution and everything that ends with it: the last step of a part may end its container, and so on outward. */
export function conclude(program: GraphProgram, state: GraphState, step: StepKey, end: StepEnd): void {
  let next: Ending | undefined = { step, end }
  while (next !== undefined) {
    next = endStep(program, state, next.step, next.end)
  }
}

function endStep(program: GraphProgram, state: GraphState, step: StepKey, end: StepEnd): Ending | undefined {
  if (end.kind === 'failed' && isBreach(end.error)) return fault(program, state, step, end.error)
  if (state.scopes[state.executions[step]!.scope]!.late)
    return endAll(program, state, lateEnded(program, state, step, end))
  switch (end.kind) {
    case 'completed':
      return complete(program, state, step, end, { output: end.output })
    case 'failed':
      return fail(program, state, step, end.error)
    case 'jumped':
      return jump(program, state, step, end.jump)
  }
}

interface WaysOut {
  readonly outcome: string
  readonly outcomes?: readonly string[] | undefined
}

function complete(
  program: GraphProgram,
  state: GraphState,
  step: StepKey,
  ways: WaysOut,
  record: StepRecord,
): Ending | undefined {
  const execution = state.executions[step]!
  const activity = program.byId.get(execution.activity)!
  const scope = state.scopes[execution.scope]!
  cancelParts(state, step, execution)
  deactivate(program, state, step)
  if (activity.isRead) state.scopes[scope.frame]!.steps![activity.id] = record
  if (activity.parts.compensate !== undefined && record.error === undefined)
    remember(state, step, execution, activity, ways.outcome)
  routeTokens(program, state, execution.scope, targetsOf(activity, ways), execution.lostTo)
  if (scope.live.length > 0) return undefined
  if (scope.undo !== undefined) return endAll(program, state, undoEnded(program, state, scope))
  if (scope.owner === '') return undefined
  delete state.scopes[execution.scope]
  const end = partEnded(containerRun(program, state, scope.owner), scope)
  return end && { step: scope.owner, end }
}

function targetsOf({ targets }: CompiledActivity, { outcome, outcomes }: WaysOut): readonly CompiledActivity[] {
  if (outcomes === undefined) return targets.get(outcome) ?? []
  return [...new Set(outcomes.flatMap((each) => targets.get(each) ?? []))]
}

function fail(program: GraphProgram, state: GraphState, step: StepKey, error: Failure): Ending | undefined {
  const handler = findHandler(program, state, step)
  if (handler === undefined) return fault(program, state, step, error)
  if (handler.step !== step) forget(state, step)
  if (handler.by === 'try') {
    const end = tryPartFailed(containerRun(program, state, handler.step) as ContainerRun<TryState>, error)
    return end && { step: handler.step, end }
  }
  const { onError } = program.byId.get(state.executions[handler.step]!.activity)!
  const outcome = onError === 'continue' ? DEFAULT_OUTCOME : FAILED_OUTCOME
  return complete(program, state, handler.step, { outcome }, { output: null, error })
}

/** Leaves the nearest loop or its turn, by way of every finally in between. */
function jump(program: GraphProgram, state: GraphState, step: StepKey, to: LoopJump): Ending | undefined {
  const target = findLoop(program, state, step)
  if (target === undefined) return complete(program, state, step, { outcome: DEFAULT_OUTCOME }, { output: null })
  forget(state, step)
  const run = containerRun(program, state, target.step)
  const end = leave(run, state, target.part, to)
  return end && { step: target.step, end }
}

function leave(run: ContainerRun, state: GraphState, partKey: ScopeKey, to: LoopJump): StepEnd | undefined {
  if (run.container.rule === 'try') return tryPartLeft(run as ContainerRun<TryState>, to)
  if (to === 'break') return brokenLoop(run.container as LoopState)
  const part = state.scopes[partKey]!
  cancelScope(state, partKey)
  return partEnded(run, part)
}

/** What ended beside one another; the last of them is left to the caller. */
function endAll(program: GraphProgram, state: GraphState, endings: Ending[]): Ending | undefined {
  const last = endings.pop()
  for (const { step, end } of endings) conclude(program, state, step, end)
  return last
}

/** Nobody handles it: the instance is undone where there is something to undo, else it stands still as it is. So it does before a limit. */
function fault(program: GraphProgram, state: GraphState, step: StepKey, error: Failure): undefined {
  const failed = state.executions[step]!
  const { undo } = outermost(state, failed.scope)
  cancelParts(state, step, failed)
  // Of many children that have all ended, a retry only gathers again what they gave.
  if (!isBreach(error) || state.waits[step]?.children === undefined || state.undoing !== undefined) {
    delete state.waits[step]
    failed.phase = 'failed'
  }
  if (undo === undefined && !isBreach(error) && hasToUndo(program, state)) {
    undoAll(program, state, { cause: 'fault', error })
    return
  }
  state.status = 'faulted'
  state.error = undo === undefined ? error : compensationFailed(undo, error, state.undoing?.error)
  for (const [other, { phase }] of Object.entries(state.executions)) {
    if (phase !== 'open' && phase !== 'failed') state.cancelled.push(other)
  }
}

/** Takes a step away before the rest of its part is cancelled: it ended by itself. */
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
