/** Decisions about runs that somebody asks for, beside those that the schedule makes. Pure; the store calls them inside its transaction. */
import type { Json } from '@lockstep/base'
import type { ScheduleChange, TakenSchedule } from '../store/schedule-store.ts'
import { backfill } from './backfill.ts'
import { RunPlan } from './decide-taken.ts'
import { requestKey } from './run-key.ts'
import type { OverlapPolicy, Schedule } from './schedule.ts'

export interface RunRequest {
  /** Asking twice with one key is asking once. */
  readonly key: string
  /** Starts whatever else runs. */
  readonly force: boolean
  readonly input: Json | undefined
}

/** A paused schedule can be triggered as well: somebody wants it now. */
export function requestRun(
  current: TakenSchedule,
  { key, force, input }: RunRequest,
  now: number,
  newId: () => string,
): ScheduleChange {
  const plan = new RunPlan(current, newId)
  const run = { key: requestKey(current.id, key), at: now, late: false, origin: 'request' as const }
  plan.begin({ ...run, ...(input === undefined ? {} : { input }) }, force ? 'allow' : undefined)
  return { kind: 'write', save: undefined, fire: plan.write() }
}

export interface BackfillRequest {
  readonly from: number
  /** The first instant that does not belong to it. What has not come yet is left to its time. */
  readonly to: number
  readonly limit: number
  /** `queue`: one after another, oldest first. */
  readonly overlap: Extract<OverlapPolicy, 'queue' | 'allow'>
}

export interface BackfillPlan {
  readonly change: ScheduleChange
  readonly keys: readonly string[]
  readonly moreFrom: number | undefined
}

export function requestBackfill(
  current: TakenSchedule,
  schedule: Schedule,
  { from, to, limit, overlap }: BackfillRequest,
  now: number,
  newId: () => string,
): BackfillPlan {
  const plan = new RunPlan(current, newId)
  const { fires, moreFrom } = backfill(schedule, from, Math.min(to, now + 1), limit)
  const keys: string[] = []
  let more = moreFrom
  for (const { key, at } of fires) {
    if (overlap === 'queue' && !plan.hasRoom) {
      more = at
      break
    }
    plan.begin({ key, at, late: false, origin: 'backfill' }, overlap)
    keys.push(key)
  }
  return { change: { kind: 'write', save: undefined, fire: plan.write() }, keys, moreFrom: more }
}
