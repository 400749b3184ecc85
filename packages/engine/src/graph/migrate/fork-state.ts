import type { Json } from '@lockstep/base'
import type { StepKey } from '../../journal/fact.ts'
import { cancelScope } from '../cancel-scope.ts'
import type { GraphProgram } from '../graph-program.ts'
import type { GraphState } from '../graph-state.ts'
import { setMember } from '../own-member.ts'
import { resetReady } from '../ready.ts'
import { retryFaulted } from '../retry-faulted.ts'

/** Waits for something that was made for the original alone. */
const OWN_WAITS: ReadonlySet<string> = new Set(['child', 'children', 'task', 'human', 'lock'])

/**
 * A copy of an instance is a run of its own: nothing outside was done in its name. Attempts that nobody knows the outcome of are made; children
 * and tasks that are the original's begin anew, and those it drops are its own to stop; what the original did is the original's to undo. What held the original up does not hold up its copy.
 */
export function forkState(
  program: GraphProgram,
  state: GraphState,
  variables: Readonly<Record<string, Json>> | undefined,
): void {
  delete state.paused
  dropUndoing(state)
  delete state.unwanted
  dropLateChildren(state)
  if (isHeldUp(state)) retryFaulted(program, state)
  for (const [step, execution] of Object.entries(state.executions)) {
    delete execution.announced
    if (execution.phase !== 'waiting' || !isOwn(program, state, step, execution.activity)) continue
    execution.phase = 'active'
    delete state.waits[step]
  }
  for (const [name, value] of Object.entries(variables ?? {})) setMember(state.variables, name, value)
  resetReady(program, state)
}

/** Who was undoing steps on the way asks anew, and finds none. */
function dropUndoing(state: GraphState): void {
  for (const [key, { undo }] of Object.entries(state.scopes)) if (undo !== undefined) cancelScope(state, key, true)
  for (const execution of Object.values(state.executions)) {
    if (execution.container?.rule !== 'compensate') continue
    delete execution.container
    execution.phase = 'active'
  }
  delete state.compensations
  delete state.undoers
}

/** Children that are only waited for so that they can be undone: in the name of the copy they were never begun. */
function dropLateChildren(state: GraphState): void {
  for (const [step, { scope }] of Object.entries(state.executions)) {
    if (state.scopes[scope]?.late !== true || state.waits[step]?.undo === undefined) continue
    delete state.executions[step]
    delete state.waits[step]
    delete state.scopes[scope]
  }
}

function isOwn(program: GraphProgram, state: GraphState, step: StepKey, activity: string): boolean {
  const wait = state.waits[step]?.wait
  if (wait === undefined || OWN_WAITS.has(wait.kind)) return true
  // Its outcome is what nobody knows.
  return wait.kind === 'signal' && wait.name === step && program.byId.get(activity)?.effect === 'atMostOnce'
}

/** Whether something stopped it that a retry undoes. */
export function isHeldUp({ status, error, end }: GraphState): boolean {
  return error !== undefined || status === 'quarantined' || end?.status === 'faulted'
}

/** Whether a copy of it would have anything to do. What is being undone goes on to its end only for the original, and all else of it is over. */
export function canGoOn(state: GraphState): boolean {
  return state.undoing === undefined && (state.status === 'running' || isHeldUp(state))
}
