import type { CompiledActivity, GraphProgram } from './graph-program.ts'
import type { GraphState, ScopeKey } from './graph-state.ts'
import { arriveAtAll, fireJoins, markLosers, stillLost } from './join.ts'
import { activate } from './tokens.ts'

/**
 * Puts one token on each target, then lets joins fire. All tokens of one outcome arrive together: no join fires, and no
 * race is decided, before the last of them is in place.
 */
export function routeTokens(
  program: GraphProgram,
  state: GraphState,
  scopeKey: ScopeKey,
  targets: readonly CompiledActivity[],
  lostTo?: readonly string[],
): void {
  const scope = state.scopes[scopeKey]!
  const races: CompiledActivity[] = []
  for (const target of targets) {
    if (target.join === 'none') activate(program, state, scopeKey, target, stillLost(program, lostTo, target))
    else if (target.join === 'all') arriveAtAll(program, state, scope, target, lostTo)
    else if (!lostTo?.includes(target.id)) races.push(target)
  }
  for (const target of races) activate(program, state, scopeKey, target, stillLost(program, lostTo, target))
  for (const target of races) markLosers(program, state, scope, target)
  if (scope.pending.length > 0) fireJoins(program, state, scopeKey, scope)
}
