import { turnOf, visibleSteps } from '../expression-scope.ts'
import type { StepRecord } from '../graph-expression.ts'
import type { GraphState, ScopeKey } from '../graph-state.ts'
import { ownMember } from '../own-member.ts'
import type { Captured } from './compensation.ts'

/** What expressions in a scope see of other steps and of the turn they are in, to be kept without the scope. */
export function capture(state: GraphState, scopeKey: ScopeKey, reads: readonly string[] | 'all'): Captured {
  const scope = state.scopes[scopeKey]!
  const visible = visibleSteps(state, state.scopes[scope.frame]!, { reads }) as unknown as Record<string, StepRecord>
  const steps: Record<string, StepRecord> = {}
  for (const id of reads === 'all' ? Object.keys(visible) : reads) {
    const record = ownMember(visible, id)
    if (record !== undefined) steps[id] = record
  }
  const turn = turnOf(state, { scope: scopeKey }, false)
  return Object.keys(turn).length === 0 ? { steps } : { steps, turn }
}
