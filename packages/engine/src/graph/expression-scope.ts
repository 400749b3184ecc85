import type { JsonObject } from '@lockstep/base'
import type { ExpressionScope } from '../expression/scope.ts'
import type { StepKey } from '../journal/fact.ts'
import { itemOf } from './containers/for-each.ts'
import { isLoop } from './containers/leave-loop.ts'
import { InvalidFact } from './graph-errors.ts'
import type { StepRecord } from './graph-expression.ts'
import type { CompiledActivity, GraphProgram } from './graph-program.ts'
import type { ExecutionState, GraphState, ScopeKey, ScopeState } from './graph-state.ts'
import { ownMember } from './own-member.ts'

/**
 * What the expressions of a live step see. Nothing is copied but, inside loops, the few records its expressions name:
 * the cost is that of the nesting, not of the history. Read it before the next fact is applied.
 */
export function expressionScope(program: GraphProgram, state: GraphState, step: StepKey): ExpressionScope {
  const execution = ownMember(state.executions, step)
  if (execution === undefined) throw new InvalidFact({ kind: 'expression', step, reason: 'it is not alive' })
  const scope = state.scopes[execution.scope]!
  const frame = state.scopes[scope.frame]!
  const activity = program.byId.get(execution.activity)!
  const error = nearestError(state, scope)
  return {
    input: state.input,
    vars: state.variables,
    steps: visibleSteps(state, frame, activity),
    ...turnOf(state, execution, activity.container === 'while'),
    ...(error && { error: asJson(error) }),
    ...(state.correlationId !== undefined && { correlationId: state.correlationId }),
  }
}

/** The nearest turn says `index`, the nearest that has one says `item`. The condition of a while sees the turn it decides on. */
export function turnOf(
  state: GraphState,
  execution: Pick<ExecutionState, 'scope' | 'container'>,
  isWhile: boolean,
): Pick<ExpressionScope, 'item' | 'index'> {
  let index = isWhile ? turnsOf(execution) : undefined
  let scope = state.scopes[execution.scope]!
  while (scope.owner !== '') {
    const owner = state.executions[scope.owner]!
    const { container } = owner
    if (isLoop(container)) {
      index ??= scope.index!
      if (container.rule !== 'while') return { item: itemOf(container, scope.index!), index }
    }
    scope = state.scopes[owner.scope]!
  }
  return { ...scope.turn, ...(index !== undefined && { index }) }
}

const turnsOf = ({ container }: Pick<ExecutionState, 'container'>): number =>
  container?.rule === 'while' ? container.next : 0

export function nearestError(state: GraphState, from: ScopeState): ScopeState['error'] {
  for (let scope = from; ; scope = state.scopes[parentKey(state, scope)]!) {
    if (scope.error !== undefined || scope.owner === '') return scope.error
  }
}

const parentKey = (state: GraphState, scope: ScopeState): ScopeKey => state.executions[scope.owner]!.scope

export function visibleSteps(
  state: GraphState,
  frame: ScopeState,
  activity: Pick<CompiledActivity, 'reads'>,
): JsonObject {
  if (frame.owner === '') return asJson(frame.steps!)
  const visible: Record<string, StepRecord> = Object.create(null)
  for (let current: ScopeState | undefined = frame; current !== undefined; current = frameAround(state, current)) {
    const records = current.steps!
    // Ids are unique in the document: no record of one frame hides one of another.
    for (const id of activity.reads === 'all' ? Object.keys(records) : activity.reads) {
      const record = ownMember(records, id)
      if (record !== undefined) visible[id] = record
    }
  }
  return asJson(visible)
}

function frameAround(state: GraphState, frame: ScopeState): ScopeState | undefined {
  if (frame.owner === '') return undefined
  return state.scopes[state.scopes[parentKey(state, frame)]!.frame]!
}

/** Records and failures are JSON; interfaces cannot say so. */
const asJson = (value: object): JsonObject => value as JsonObject
