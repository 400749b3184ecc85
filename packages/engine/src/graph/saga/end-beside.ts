import type { StepKey } from '../../journal/fact.ts'
import type { GraphProgram } from '../graph-program.ts'
import type { CompensateState, GraphState, ScopeState } from '../graph-state.ts'
import { ownMember } from '../own-member.ts'
import type { StepEnd } from '../step-end.ts'
import { advanceAll, cancelError } from './undo-all.ts'
import { advanceLine, beginUndo, remember, undone } from './undo-step.ts'

export interface Ending {
  readonly step: StepKey
  readonly end: StepEnd
}

/** The compensation of a step has come to its end. Answers the steps that waited for that and end now too. */
export function undoEnded(program: GraphProgram, state: GraphState, scope: ScopeState): Ending[] {
  delete state.scopes[scope.frame]
  undone(state, scope.undo!)
  if (state.undoing !== undefined) {
    advanceAll(program, state)
    return []
  }
  return advanceAskers(program, state)
}

/** A step that came late has ended: what it did is undone, where it did something. */
export function lateEnded(program: GraphProgram, state: GraphState, step: StepKey, end: StepEnd): Ending[] {
  const execution = state.executions[step]!
  const scope = state.scopes[execution.scope]!
  const activity = program.byId.get(execution.activity)!
  delete state.executions[step]
  delete state.waits[step]
  const done = end.kind === 'completed' && activity.parts.compensate !== undefined && !state.undoing?.skips
  if (done) {
    scope.steps![activity.id] = { output: end.output }
    remember(state, step, execution, activity, end.outcome)
  }
  delete state.scopes[execution.scope]
  const isKnown = done && state.compensations !== undefined && Object.hasOwn(state.compensations, step)
  if (state.undoing !== undefined) {
    if (isKnown) state.undoing.line.push(step)
    advanceAll(program, state)
  } else if (isKnown) beginUndo(program, state, step, cancelError({ reason: 'Its branch was cancelled' }))
  return []
}

/** Activities that undo steps on the way: each goes on with its line where it can. */
function advanceAskers(program: GraphProgram, state: GraphState): Ending[] {
  const endings: Ending[] = []
  state.undoers = (state.undoers ?? []).filter((step) => {
    const execution = ownMember(state.executions, step)
    if (execution?.container?.rule !== 'compensate') return false
    const container = execution.container
    if (!advanceLine(program, state, container.line, container.error)) return true
    endings.push({ step, end: compensated(container) })
    return false
  })
  if (state.undoers.length === 0) delete state.undoers
  return endings
}

export const compensated = ({ count }: CompensateState): StepEnd => ({
  kind: 'completed',
  outcome: 'done',
  output: { undone: count },
})
