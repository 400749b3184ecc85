import type { CancelledFact, Failure, StepKey } from '../../journal/fact.ts'
import { cancelScope } from '../cancel-scope.ts'
import type { GraphProgram } from '../graph-program.ts'
import type { GraphState } from '../graph-state.ts'
import { waitsForChildren } from '../unwanted-children.ts'
import type { Undoing } from './compensation.ts'
import { COMPENSATION_FAILED } from './compensation-view.ts'
import { isLate, keepLate, mayHaveRun } from './late-step.ts'
import { advanceLine } from './undo-step.ts'

/** Whether a failure that nobody handles has something to undo, or may come to have. */
export function hasToUndo(program: GraphProgram, state: GraphState): boolean {
  if (!program.compensates) return false
  for (const _ in state.compensations) return true
  return Object.entries(state.executions).some(
    ([step, execution]) =>
      (execution.undo !== undefined && mayHaveRun(state, step, execution)) ||
      (state.waits[step]?.undo !== undefined && isLate(state, step)),
  )
}

/** What compensations see when no failure is the reason. */
export function cancelError({ reason }: Pick<CancelledFact, 'reason'> = {}): Failure {
  return { code: 'CANCELLED', message: reason ?? 'It was cancelled' }
}

/**
 * Drops all that is alive and undoes the instance: first those who linger come to their end (steps whose outcome is not known yet, children
 * that it waits for), then all that completed is undone, newest first.
 */
export function undoAll(
  program: GraphProgram,
  state: GraphState,
  why: Pick<Undoing, 'cause' | 'error' | 'skips'>,
): void {
  const { cause, error, skips } = why
  const stood = state.status !== 'running'
  state.undoing = { cause, error, ...(skips && { skips }), line: Object.keys(state.compensations ?? {}) }
  if (state.scopes[''] !== undefined) {
    for (const [step, { phase, scope }] of Object.entries(state.executions)) {
      if (phase === 'waiting' && isRooted(state, scope) && waitsForChildren(state, step)) letLinger(state, step)
    }
    cancelScope(state, '', skips === true)
  }
  state.status = 'running'
  // Those who linger were told to stop when it came to stand.
  if (stood) state.ready = Object.keys(state.executions).filter((step) => state.executions[step]!.phase === 'active')
  advanceAll(program, state)
}

/** Not where it is being undone already, or could not be. */
export function canCancel({ undoing, error }: GraphState): boolean {
  return undoing === undefined && error?.code !== COMPENSATION_FAILED
}

/** `false`: nobody has to be undone or waited for. */
export function cancelAll(program: GraphProgram, state: GraphState, fact: CancelledFact): boolean {
  const skips = fact.compensate === false
  undoAll(program, state, { cause: 'cancel', error: cancelError(fact), ...(skips && { skips }) })
  delete state.error
  delete state.paused
  if (state.compensations !== undefined || !isAllUndone(state)) return true
  delete state.undoing
  return false
}

/** It ends now, whatever was still to be undone. */
export function dropBeside(state: GraphState): void {
  for (const [step, { phase }] of Object.entries(state.executions)) if (phase !== 'open') state.cancelled.push(step)
  state.executions = {}
  state.scopes = {}
  delete state.undoers
}

/** It ended after all that it did was undone: there is nothing to go on from. */
export function isUndone({ undoing, status, executions }: GraphState): boolean {
  return (
    undoing !== undefined && status === 'ended' && !Object.values(executions).some(({ phase }) => phase === 'failed')
  )
}

/** Goes on with undoing the instance, where nothing has to end first. */
export function advanceAll(program: GraphProgram, state: GraphState): void {
  const { undoing } = state
  if (undoing === undefined || undoing.skips) return
  for (const _ in state.scopes) return
  advanceLine(program, state, undoing.line, undoing.error)
}

/** Nothing is left to undo or to wait for. */
export function isAllUndone(state: GraphState): boolean {
  const { undoing } = state
  if (undoing === undefined || (undoing.line.length > 0 && !undoing.skips)) return false
  for (const _ in state.scopes) return false
  return true
}

function letLinger(state: GraphState, step: StepKey): void {
  const execution = state.executions[step]!
  const { live } = state.scopes[execution.scope]!
  const { children } = state.waits[step]!
  if (children !== undefined) children.stopped = true
  keepLate(state, step, execution)
  live.splice(live.indexOf(step), 1)
}

function isRooted(state: GraphState, key: string): boolean {
  for (let at = key; at !== ''; ) {
    const { owner } = state.scopes[at]!
    if (owner === '') return false
    at = state.executions[owner]!.scope
  }
  return true
}
