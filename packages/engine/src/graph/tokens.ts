import type { StepKey } from '../journal/fact.ts'
import { type CompiledActivity, type GraphProgram, reaches } from './graph-program.ts'
import type { ExecutionState, GraphState, ScopeKey, ScopeState } from './graph-state.ts'
import { ownMember } from './own-member.ts'

/** Starts one execution: it is alive in its scope, holds back the joins it can reach, and is ready to be handed out. */
export function activate(
  program: GraphProgram,
  state: GraphState,
  scopeKey: ScopeKey,
  activity: CompiledActivity,
  lostTo?: readonly string[],
): StepKey {
  const scope = state.scopes[scopeKey]!
  const step = nextStepKey(scopeKey, scope, activity)
  const execution: ExecutionState = { activity: activity.id, scope: scopeKey, phase: 'active', attempt: 1 }
  if (lostTo !== undefined) execution.lostTo = lostTo
  if (activity.undo !== undefined) execution.undo = activity.undo
  state.executions[step] = execution
  scope.live.push(step)
  if (scope.pending.length > 0) shiftBlockers(program, scope, activity, 1)
  state.ready.push(step)
  return step
}

/** Forgets an execution. Joins that it held back may fire now. */
export function deactivate(program: GraphProgram, state: GraphState, step: StepKey): void {
  const execution = state.executions[step]!
  const scope = state.scopes[execution.scope]!
  delete state.executions[step]
  // Between its turns a while is active, and may have a time-out.
  if (execution.phase !== 'active' || execution.container !== undefined) delete state.waits[step]
  removeLive(scope, step)
  if (scope.pending.length > 0) shiftBlockers(program, scope, program.byId.get(execution.activity)!, -1)
}

/** The newest first: it is the one that ends, most of the time. */
function removeLive({ live }: ScopeState, step: StepKey): void {
  if (live.at(-1) === step) live.pop()
  else live.splice(live.lastIndexOf(step), 1)
}

function nextStepKey(scopeKey: ScopeKey, scope: ScopeState, activity: CompiledActivity): StepKey {
  const base = scopeKey === '' ? activity.id : `${scopeKey}.${activity.id}`
  const before = scope.counts && ownMember(scope.counts, activity.id)
  if (before === undefined && !activity.repeats) return base
  const run = (before ?? 0) + 1
  scope.counts ??= {}
  scope.counts[activity.id] = run
  return run === 1 ? base : `${base}#${run}`
}

function shiftBlockers(program: GraphProgram, scope: ScopeState, activity: CompiledActivity, by: 1 | -1): void {
  for (const join of scope.pending) {
    if (reaches(activity, program.byId.get(join.activity)!)) join.blockers += by
  }
}

/** Replaces an execution by a new one of the same activity, under a key of its own. */
export function activateAgain(program: GraphProgram, state: GraphState, step: StepKey): StepKey {
  const { activity: id, scope: scopeKey, lostTo } = state.executions[step]!
  const activity = program.byId.get(id)!
  const scope = state.scopes[scopeKey]!
  scope.counts ??= {}
  scope.counts[id] = ownMember(scope.counts, id) ?? 1
  deactivate(program, state, step)
  return activate(program, state, scopeKey, activity, lostTo)
}
