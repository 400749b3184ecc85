import type { Failure } from '../../journal/fact.ts'
import { beginScope } from '../begin-scope.ts'
import { cancelScope } from '../cancel-scope.ts'
import { DEFAULT_OUTCOME } from '../document.ts'
import { type CompiledActivity, isConnected } from '../graph-program.ts'
import type { LoopJump, TryState } from '../graph-state.ts'
import type { StepEnd } from '../step-end.ts'
import type { ContainerRun } from './container-run.ts'
import { tryPartKey } from './part-keys.ts'

/** Left after a catch ran, unless nothing is connected to it: then a caught failure goes the way of success. */
export const CAUGHT_OUTCOME = 'caught'

export function tryState(): TryState {
  return { rule: 'try', part: 'body', caught: false }
}

export function startTry(run: ContainerRun<TryState>): StepEnd | undefined {
  return begin(run, 'body') ? undefined : tryPartEnded(run)
}

/** Whether a failure inside the part that runs now has somewhere to go within this try. */
export function handlesFailure(activity: CompiledActivity, guard: TryState): boolean {
  const hasFinally = activity.parts.finally !== undefined
  if (guard.part === 'body') return activity.parts.catch !== undefined || hasFinally
  return guard.part === 'catch' && hasFinally
}

/** A step of the running part failed: drops the rest of that part, then runs catch or finally. */
export function tryPartFailed(run: ContainerRun<TryState>, error: Failure): StepEnd | undefined {
  const { state, step, activity, container: guard } = run
  cancelScope(state, tryPartKey(step, guard.part))
  if (guard.part === 'body' && activity.parts.catch !== undefined) {
    guard.caught = true
    return begin(run, 'catch', error) ? undefined : tryPartEnded(run)
  }
  guard.failure = error
  return begin(run, 'finally', error) ? undefined : tryEnd(run)
}

/** Whether a jump out of the part that runs now has to wait for `finally`. */
export function delaysJump(activity: CompiledActivity, guard: TryState): boolean {
  return guard.part !== 'finally' && activity.parts.finally !== undefined
}

/** A step of the running part jumps out of it: drops the rest of that part, and runs finally first. */
export function tryPartLeft(run: ContainerRun<TryState>, jump: LoopJump): StepEnd | undefined {
  const { state, step, container: guard } = run
  cancelScope(state, tryPartKey(step, guard.part))
  guard.jump = jump
  return begin(run, 'finally') ? undefined : tryEnd(run)
}

export function tryPartEnded(run: ContainerRun<TryState>): StepEnd | undefined {
  if (run.container.part !== 'finally' && begin(run, 'finally')) return undefined
  return tryEnd(run)
}

function tryEnd({ activity, container: guard }: ContainerRun<TryState>): StepEnd {
  if (guard.failure !== undefined) return { kind: 'failed', error: guard.failure }
  if (guard.jump !== undefined) return { kind: 'jumped', jump: guard.jump }
  const outcome = guard.caught && isConnected(activity, CAUGHT_OUTCOME) ? CAUGHT_OUTCOME : DEFAULT_OUTCOME
  return { kind: 'completed', outcome, output: { caught: guard.caught } }
}

function begin(run: ContainerRun<TryState>, part: TryState['part'], error?: Failure): boolean {
  const { program, state, step, activity, container: guard } = run
  const graph = activity.parts[part]
  if (graph === undefined) return false
  guard.part = part
  return beginScope(program, state, { graph, key: tryPartKey(step, part), owner: step, ...(error && { error }) })
}
