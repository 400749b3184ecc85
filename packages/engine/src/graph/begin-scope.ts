import type { Failure, StepKey } from '../journal/fact.ts'
import type { CompiledScope, GraphProgram } from './graph-program.ts'
import type { GraphState, ScopeKey } from './graph-state.ts'
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
  state.scopes[key] = {
    graph: graph.id,
    owner,
    frame: graph.isFrame ? key : around.frame,
    live: [],
    pending: [],
    ...(graph.isFrame && { steps: {} }),
    ...(index !== undefined && { index }),
    ...(error && { error }),
  }
  routeTokens(program, state, key, graph.starts)
  return true
}
