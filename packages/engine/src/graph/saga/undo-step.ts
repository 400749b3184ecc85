/**
 * Undoing one step: its compensation runs in a scope of its own, which stands beside the root like another one, so that it does not
 * matter what has become of the scopes around the step. Steps in there have keys such as `charge:undo.refund`, the same on every replay.
 * An undo that has begun goes on to its end, whatever becomes of whoever asked for it.
 */
import type { Failure, StepKey } from '../../journal/fact.ts'
import type { CompiledActivity, GraphProgram } from '../graph-program.ts'
import type { ExecutionState, GraphState, ScopeKey, ScopeState } from '../graph-state.ts'
import { ownMember } from '../own-member.ts'
import { routeTokens } from '../route-token.ts'
import { capture } from './capture.ts'
import { undoReads } from './undo-reads.ts'

export const undoScopeKey = (step: StepKey): ScopeKey => `${step}:undo`

/** A step has completed that can be undone. Those inside a compensation are not: they are the undoing. */
export function remember(
  state: GraphState,
  step: StepKey,
  execution: ExecutionState,
  activity: CompiledActivity,
  outcome: string,
): void {
  // A child that faulted or was cancelled has undone itself.
  if (activity.type.type === 'run-workflow' && outcome !== 'done') return
  state.compensations ??= {}
  state.compensations[step] = {
    activity: activity.id,
    captured: capture(state, execution.scope, undoReads(activity)),
  }
}

/** `false`: there was nothing to run, so it is undone already. */
export function beginUndo(
  program: GraphProgram,
  state: GraphState,
  step: StepKey,
  error: Failure | undefined,
): boolean {
  const entry = state.compensations![step]!
  const { steps = {}, turn } = entry.captured ?? {}
  const graph = program.byId.get(entry.activity)!.parts.compensate!
  if (graph.starts.length === 0) {
    undone(state, step)
    return false
  }
  entry.phase = 'undoing'
  const key = undoScopeKey(step)
  const scope: ScopeState = {
    graph: graph.id,
    owner: '',
    frame: key,
    live: [],
    pending: [],
    steps: { ...steps },
    undo: step,
  }
  if (turn !== undefined) scope.turn = turn
  if (error !== undefined) scope.error = error
  state.scopes[key] = scope
  routeTokens(program, state, key, graph.starts)
  return true
}

/** What a whole instance undid stays visible; of what it undid on its way nothing is left, or a loop would fill the state. */
export function undone(state: GraphState, step: StepKey): void {
  const entry = state.compensations![step]!
  if (state.undoing === undefined) delete state.compensations![step]
  else state.compensations![step] = { activity: entry.activity, phase: 'undone' }
}

/** Undoes the last of a line that is not undone yet. `true`: nothing is left of it. */
export function advanceLine(
  program: GraphProgram,
  state: GraphState,
  line: StepKey[],
  error: Failure | undefined,
): boolean {
  for (;;) {
    const step = line.at(-1)
    if (step === undefined) return true
    const entry = state.compensations && ownMember(state.compensations, step)
    if (entry !== undefined && entry.phase !== 'undone') {
      if (entry.phase === 'undoing' || beginUndo(program, state, step, error)) return false
    }
    line.pop()
  }
}

/** The outermost scope around a scope: the root, one that undoes a step, or one of a step that came late. */
export function outermost(state: GraphState, key: ScopeKey): ScopeState {
  for (let scope = state.scopes[key]!; ; ) {
    if (scope.owner === '') return scope
    scope = state.scopes[state.executions[scope.owner]!.scope]!
  }
}
