import { type DueOccurrence, dueOccurrences, type Pending } from './due-occurrences.ts'
import { nextFire } from './next-occurrence.ts'
import { occurrenceKey } from './occurrence-key.ts'
import type { Schedule } from './schedule.ts'
import { type SkippedOccurrence, type SkippedRun, skippedRuns } from './skipped-runs.ts'

/**
 * What a schedule does at an instant. Three questions, in this order:
 *
 *   misfire  An occurrence is on time until its grace is over, then it was missed. All that are on time fire. Of the missed,
 *            `skip` fires none; `fire-once` the latest, unless one on time fires anyway; `catchUp: k` the latest k, oldest first.
 *   overlap  What is left is taken in turn, each against what runs by then (`running`, and those before it in this decision).
 *   next     The first occurrence that is not due. What was due and did not fire is never looked at again.
 *
 * A paused schedule, and a calendar, let occurrences go by: they are not fired later.
 */
export interface FireQuestion {
  readonly schedule: Schedule
  /** `next.dueAt` of the last decision, or the first occurrence. */
  readonly dueAt: number
  /** By the clock that all nodes share. */
  readonly now: number
  /** Runs of this schedule that have not ended, queued ones included. */
  readonly running: number
  /** Nominal instant of the last occurrence that fired: it and those before never fire again, whatever `dueAt` says. */
  readonly lastFiredAt?: number
}

export interface Firing {
  /** Start at most one run per key. */
  readonly key: string
  readonly at: number
  readonly fireAt: number
  /** It was missed, and fires by the misfire policy. */
  readonly late: boolean
  /** `queue`: when all before it have ended. `cancel-previous`: cancel what runs, then start. */
  readonly action: 'start' | 'queue' | 'cancel-previous'
}

export interface FireDecision {
  /** In the order in which they shall start. */
  readonly fires: readonly Firing[]
  readonly skipped: readonly SkippedRun[]
  /** `undefined`: the schedule has ended. */
  readonly next: Pending | undefined
}

const LEAST_GRACE_MS = 5_000
const MOST_GRACE_MS = 60_000

export function decideFire({ schedule, dueAt, now, running, lastFiredAt = -Infinity }: FireQuestion): FireDecision {
  const { due, unlisted, next } = dueOccurrences(schedule, Math.max(dueAt - 1, lastFiredAt), now)
  const skipped: SkippedOccurrence[] = []
  const candidates: DueOccurrence[] = []
  for (const occurrence of due) {
    if (schedule.paused) skipped.push({ at: occurrence.at, reason: 'paused' })
    else if (occurrence.excludedBy === undefined) candidates.push(occurrence)
    else skipped.push({ at: occurrence.at, reason: 'calendar', calendar: occurrence.excludedBy })
  }
  const { chosen, missed } = applyMisfire(schedule, candidates, now)
  const { fires, overlapped } = applyOverlap(schedule, chosen, running)
  skipped.push(...missed, ...overlapped)
  return { fires, skipped: skippedRuns(skipped, unlisted, schedule.paused ? 'paused' : 'misfire'), next }
}

type Chosen = DueOccurrence & { readonly late: boolean }

function applyMisfire(
  schedule: Schedule,
  candidates: readonly DueOccurrence[],
  now: number,
): { readonly chosen: readonly Chosen[]; readonly missed: readonly SkippedOccurrence[] } {
  const judged = candidates.map((occurrence, index) => ({
    ...occurrence,
    late: isLate(schedule, occurrence, candidates[index + 1]?.at, now),
  }))
  const late = judged.filter((each) => each.late)
  const given = late.length - lateAllowed(schedule, judged.length - late.length)
  const missed = late.slice(0, Math.max(0, given))
  return {
    // In order of time: by its jitter, an older one can be on time while a newer one is late.
    chosen: judged.filter((each) => !missed.includes(each)),
    missed: missed.map(({ at }) => ({ at, reason: 'misfire' })),
  }
}

function lateAllowed({ misfire }: Schedule, onTime: number): number {
  if (typeof misfire === 'object') return misfire.catchUp
  return misfire === 'fire-once' && onTime === 0 ? 1 : 0
}

function isLate(schedule: Schedule, { at, fireAt }: DueOccurrence, nextAt: number | undefined, now: number): boolean {
  const lateMs = now - fireAt
  if (schedule.graceMs !== undefined) return lateMs > schedule.graceMs
  // Nearly always: the occurrence after it need not be found.
  if (lateMs <= LEAST_GRACE_MS) return false
  return lateMs > graceMs(schedule, at, nextAt)
}

function graceMs(schedule: Schedule, at: number, nextAt: number | undefined): number {
  const distance = (nextAt ?? nextFire(schedule, at) ?? Infinity) - at
  return Math.min(Math.max(distance, LEAST_GRACE_MS), MOST_GRACE_MS)
}

function applyOverlap(
  { id, overlap }: Schedule,
  chosen: readonly Chosen[],
  running: number,
): { readonly fires: readonly Firing[]; readonly overlapped: readonly SkippedOccurrence[] } {
  const fires: Firing[] = []
  const overlapped: SkippedOccurrence[] = []
  for (const [index, { at, fireAt, late }] of chosen.entries()) {
    const busy = running + fires.length > 0
    const superseded = overlap === 'cancel-previous' && index < chosen.length - 1
    if ((overlap === 'skip' && busy) || superseded) {
      overlapped.push({ at, reason: 'overlap' })
      continue
    }
    const action = !busy || overlap === 'allow' ? 'start' : overlap === 'queue' ? 'queue' : 'cancel-previous'
    fires.push({ key: occurrenceKey(id, at), at, fireAt, late, action })
  }
  return { fires, overlapped }
}
