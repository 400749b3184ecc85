import { nextFiring } from './next-occurrence.ts'
import { occurrenceKey } from './occurrence-key.ts'
import type { Schedule } from './schedule.ts'

export interface Backfill {
  readonly fires: readonly { readonly key: string; readonly at: number }[]
  /** Where to go on when the limit cut the range short. */
  readonly moreFrom?: number
}

/**
 * The occurrences in `[from, to)`, at most `limit`. The range takes the place of `startAt` and `endAt`, so that days before
 * the schedule was made can be filled; calendars hold. Keys are those of ordinary firing: what fired before is not repeated.
 */
export function backfill(schedule: Schedule, from: number, to: number, limit: number): Backfill {
  const range = { ...schedule, startAt: from, endAt: to }
  const fires: { key: string; at: number }[] = []
  for (let next = nextFiring(range, -Infinity); next !== undefined; next = nextFiring(range, next.at)) {
    if (fires.length >= limit) return { fires, moreFrom: next.at }
    fires.push({ key: occurrenceKey(schedule.id, next.at), at: next.at })
  }
  return { fires }
}
