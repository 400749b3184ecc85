import { nextFire, nextOccurrence } from './next-occurrence.ts'
import type { Occurrence } from './occurrence.ts'
import { jitteredAt } from './occurrence-key.ts'
import type { Schedule } from './schedule.ts'

/** After a longer absence only about the latest so many are listed: more than a schedule may ever catch up. */
export const MOST_DUE = 1_100

export interface DueOccurrence extends Occurrence {
  /** With its jitter. */
  readonly fireAt: number
  readonly excludedBy?: string
}

/** What a schedule waits for. */
export interface Pending {
  /** Nominal instant: hand it to the next decision. */
  readonly dueAt: number
  /** When to ask for that decision. */
  readonly wakeAt: number
  /** Name of the calendar that will pass the occurrence over. */
  readonly excludedBy?: string
}

export interface DueOccurrences {
  /** In order of time. */
  readonly due: readonly DueOccurrence[]
  /** Older ones, too many to list; both instants are occurrences. */
  readonly unlisted?: { readonly firstAt: number; readonly lastAt: number }
  /** The first that is not due yet. */
  readonly next: Pending | undefined
}

/** Occurrences after `after` whose time has come at `now`. The work is bounded, however long nobody looked. */
export function dueOccurrences(schedule: Schedule, after: number, now: number): DueOccurrences {
  const all = list(schedule, after, now, MOST_DUE)
  if (all.complete) return all
  const start = startOfLatest(schedule, after, now)
  const latest = list(schedule, start, now, 4 * MOST_DUE)
  if (start === after) return latest
  const [lastUnlisted, ...due] = latest.due
  return { due, unlisted: { firstAt: all.due[0]!.at, lastAt: lastUnlisted!.at }, next: latest.next }
}

function list(
  schedule: Schedule,
  after: number,
  now: number,
  most: number,
): { readonly due: readonly DueOccurrence[]; readonly next: Pending | undefined; readonly complete: boolean } {
  const due: DueOccurrence[] = []
  let from = after
  for (;;) {
    const upcoming = nextOccurrence(schedule, from)
    if (upcoming === undefined) return { due, next: undefined, complete: true }
    const { resumeAfter, ...occurrence } = upcoming
    const excluded = upcoming.excludedBy === undefined ? {} : { excludedBy: upcoming.excludedBy }
    const fireAt = upcoming.excludedBy === undefined ? jitteredAt(schedule, upcoming.at) : upcoming.at
    const pending = { dueAt: upcoming.at, wakeAt: fireAt, ...excluded }
    if (fireAt > now) return { due, next: pending, complete: true }
    if (due.length >= most) return { due, next: pending, complete: false }
    due.push({ ...occurrence, fireAt })
    from = resumeAfter
  }
}

/** An instant after which one to two times `MOST_DUE` firing occurrences came till `now`; `after` when it has no more than that. */
function startOfLatest(schedule: Schedule, after: number, now: number): number {
  let backMs = 1_000
  while (now - backMs > after && count(schedule, now - backMs, now) < MOST_DUE) backMs *= 2
  let enough = Math.max(after, now - backMs)
  let tooFew = now - backMs / 2
  // Occurrences that come in bursts: half the window has too few, all of it far too many.
  while (tooFew - enough > 1 && count(schedule, enough, now) > 2 * MOST_DUE) {
    const middle = Math.floor((enough + tooFew) / 2)
    if (count(schedule, middle, now) < MOST_DUE) tooFew = middle
    else enough = middle
  }
  return enough
}

/** Gives up past twice `MOST_DUE`. */
function count(schedule: Schedule, after: number, until: number): number {
  let counted = 0
  let at = nextFire(schedule, after)
  while (at !== undefined && at <= until && counted <= 2 * MOST_DUE) {
    counted++
    at = nextFire(schedule, at)
  }
  return counted
}
