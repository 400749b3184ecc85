/** Decisions about runs that somebody asks for, beside those that the schedule makes. Pure; the store calls them inside its transaction. */
import type { Json } from '@lockstep/base'
import type { ScheduleChange, TakenSchedule } from '../store/schedule-store.ts'
import { backfill } from './backfill.ts'
import { RunPlan } from './decide-taken.ts'
import type { InputCheck } from './input-check.ts'
import { type UnfitRun, UnfitRuns } from './repeated-runs.ts'
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
  /** Keys that are known to have run: their input is not looked at again. */
  readonly ran: ReadonlySet<string>
}

/** A paused schedule can be triggered as well: somebody wants it now. Throws `UnfitRuns`. */
export function requestRun(
  current: TakenSchedule,
  { key, force, input }: RunRequest,
  { now, newId, check, ran }: Deciding,
): ScheduleChange {
  const plan = new RunPlan(current, newId, check)
  const asked = { key: requestKey(current.id, key), at: now, late: false, origin: 'request' as const }
  const run = { ...asked, ...(input === undefined ? {} : { input }) }
  const misfit = plan.misfit(run)
  if (misfit === undefined) plan.begin(run, force ? 'allow' : undefined)
  else if (ran.has(run.key)) plan.repeat(run, misfit)
  else throw new UnfitRuns([{ key: run.key, misfit }])
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

/** Throws `UnfitRuns`: then none of them runs. */
export function requestBackfill(
  current: TakenSchedule,
  schedule: Schedule,
  { from, to, limit, overlap }: BackfillRequest,
  { now, newId, check, ran }: Deciding,
): BackfillPlan {
  const plan = new RunPlan(current, newId, check)
  const { fires, moreFrom } = backfill(schedule, from, Math.min(to, now + 1), limit)
  const keys: string[] = []
  const unfit: UnfitRun[] = []
  let more = moreFrom
  for (const { key, at } of fires) {
    if (overlap === 'queue' && !plan.hasRoom) {
      more = at
      break
    }
    const run = { key, at, late: false, origin: 'backfill' } as const
    const misfit = plan.misfit(run)
    if (misfit === undefined) plan.begin(run, overlap)
    else if (ran.has(key)) plan.repeat(run, misfit)
    else unfit.push({ key, misfit })
    keys.push(key)
  }
  if (unfit.length > 0) throw new UnfitRuns(unfit)
  return { change: { kind: 'write', save: undefined, fire: plan.write() }, keys, moreFrom: more }
}
