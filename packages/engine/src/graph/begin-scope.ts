import type { Failure, StepKey } from '../journal/fact.ts'
import type { CompiledScope, GraphProgram } from './graph-program.ts'
import type { GraphState, ScopeKey, ScopeState } from './graph-state.ts'
import { routeTokens } from './route-token.ts'

export interface ScopeBeginning {
  readonly graph: CompiledScope
  readonly key: ScopeKey
  readonly owner: StepKey
  readonly index?: number
  readonly error?: Failure
}

/** Starts a part of a container. `false`: it has nothing to run, so it is over already and left no trace. */
export function beginScope(program: GraphProgram, state: GraphState, beginning: ScopeBeginning): boolean {
  const { graph, key, owner, index, error } = beginning
  if (graph.starts.length === 0) return false
  const around = state.scopes[state.executions[owner]!.scope]!
  const frame = graph.isFrame ? key : around.frame
  const scope: ScopeState = { graph: graph.id, owner, frame, live: [], pending: [] }
  if (graph.isFrame) scope.steps = {}
  if (index !== undefined) scope.index = index
  if (error !== undefined) scope.error = error
  state.scopes[key] = scope
  routeTokens(program, state, key, graph.starts)
  return true
}
