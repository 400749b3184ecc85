/** Decisions about runs that somebody asks for, beside those that the schedule makes. Pure; the store calls them inside its transaction. */
import type { Json } from '@lockstep/base'
import type { ScheduleChange, TakenSchedule } from '../store/schedule-store.ts'
import { backfill } from './backfill.ts'
import { RunPlan } from './decide-taken.ts'
import type { InputCheck } from './input-check.ts'
import { requestKey } from './run-key.ts'
import type { OverlapPolicy, Schedule } from './schedule.ts'

export interface RunRequest {
  /** Asking twice with one key is asking once. */
  readonly key: string
  /** Starts whatever else runs. */
  readonly force: boolean
  readonly input: Json | undefined
}

export interface Deciding {
  readonly now: number
  readonly newId: () => string
  readonly check: InputCheck | undefined
}

/** A paused schedule can be triggered as well: somebody wants it now. Throws `INPUT_INVALID`. */
export function requestRun(
  current: TakenSchedule,
  { key, force, input }: RunRequest,
  { now, newId, check }: Deciding,
): ScheduleChange {
  const plan = new RunPlan(current, newId, check)
  const asked = { key: requestKey(current.id, key), at: now, late: false, origin: 'request' as const }
  const run = { ...asked, ...(input === undefined ? {} : { input }) }
  plan.requireFit(run)
  plan.begin(run, force ? 'allow' : undefined)
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

/** Throws `INPUT_INVALID`: then none of them runs. */
export function requestBackfill(
  current: TakenSchedule,
  schedule: Schedule,
  { from, to, limit, overlap }: BackfillRequest,
  { now, newId, check }: Deciding,
): BackfillPlan {
  const plan = new RunPlan(current, newId, check)
  const { fires, moreFrom } = backfill(schedule, from, Math.min(to, now + 1), limit)
  const keys: string[] = []
  let more = moreFrom
  for (const { key, at } of fires) {
    if (overlap === 'queue' && !plan.hasRoom) {
      more = at
      break
    }
    const run = { key, at, late: false, origin: 'backfill' } as const
    plan.requireFit(run)
    plan.begin(run, overlap)
    keys.push(key)
  }
  return { change: { kind: 'write', save: undefined, fire: plan.write() }, keys, moreFrom: more }
}
