import type { MigrationProblem } from '../graph/migrate/migration-problem.ts'
import type { VerbVerdict } from '../store/verb-store.ts'

/**
 * What became of a request. `accepted`: it is durable, and whoever has the instance does it next; what can no longer be done by then is
 * recorded in its journal as `refused`.
 */
export type VerbOutcome =
  | { readonly outcome: 'accepted' }
  /** The same was asked before and is not done yet. */
  | { readonly outcome: 'already-requested' }
  | { readonly outcome: 'not-found' }
  | { readonly outcome: 'wrong-state'; readonly status: string }

export type RetryOutcome =
  | VerbOutcome
  /** Its parent has taken note of its end, or may have: `force` retries it nevertheless, and the parent keeps what it knows. */
  | { readonly outcome: 'parent-told'; readonly parentId: string }
  /** What it did was undone: it can only be started anew, or forked from a fact before that. */
  | { readonly outcome: 'undone' }
  /** Its journal has no such step; `steps` are those it has, at most 50. */
  | { readonly outcome: 'unknown-step'; readonly step: string; readonly steps: readonly string[] }
  | Incompatible

export type MigrateOutcome = VerbOutcome | Incompatible

export interface Incompatible {
  readonly outcome: 'incompatible'
  readonly problems: readonly MigrationProblem[]
}

export type ForkOutcome =
  | { readonly outcome: 'forked'; readonly instanceId: string; readonly at: number }
  /** A fork with the same key was there first; this is its id. */
  | { readonly outcome: 'already-forked'; readonly instanceId: string }
  /** The flow policy of its workflow refuses starts like this one now. The copy is there, and ends as cancelled, with the reason. */
  | { readonly outcome: 'refused'; readonly instanceId: string; readonly at: number }
  | { readonly outcome: 'not-found' }
  /** At that position nothing is left to do: choose an earlier one. */
  | { readonly outcome: 'nothing-to-do'; readonly at: number; readonly status: string }

/** For a bulk operation, what was done before counts as accepted. */
export function outcomeOf(verdict: VerbVerdict): VerbOutcome | Extract<RetryOutcome, { outcome: 'parent-told' }> {
  switch (verdict.kind) {
    case 'wrong-state':
      return { outcome: 'wrong-state', status: verdict.status }
    case 'parent-told':
      return { outcome: 'parent-told', parentId: verdict.parentId }
    case 'done-before':
      return { outcome: 'accepted' }
    default:
      return { outcome: verdict.kind }
  }
}
