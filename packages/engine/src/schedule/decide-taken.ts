/**
 * What becomes of a schedule that was taken. Pure but for the ids of new runs. In this order, each step seeing what the one before began:
 *
 *   turn     the first of the waiting runs starts when nothing runs any more
 *   time     occurrences that are due fire, wait or are skipped, as `decideFire` says
 *   ends     runs of other jobs have ended: a round may be complete
 *
 * No overlap policy but `allow` ever lets two runs of a schedule be there at once: `cancel-previous` too starts the new one when the
 * old one has ended, and a run that others called for waits where an occurrence would be skipped.
 */
import type { Json } from '@lockstep/base'
import { decideRound, type Round } from '../job/decide-round.ts'
import type { FireWrite, NewRun, RunOrigin, SkippedNewRun, TakenSchedule } from '../store/schedule-store.ts'
import { decideFire } from './decide-fire.ts'
import { type InputCheck, type Misfit, misfitReason, waitingInput } from './input-check.ts'
import { inputOf, type StoredDocument, startedBy } from './run-input.ts'
import { roundKey, skipKey } from './run-key.ts'
import type { OverlapPolicy, Schedule } from './schedule.ts'

/** More do not wait for one that does not end. */
export const MOST_WAITING = 1_000

export interface TakenParts {
  readonly taken: TakenSchedule
  /** Absent: it has no trigger. */
  readonly schedule: Schedule | undefined
  readonly now: number
  readonly newId: () => string
  /** Of the workflow that it runs; absent: it takes anything. */
  readonly check?: InputCheck | undefined
}

export function decideTaken({ taken, schedule, now, newId, check }: TakenParts): FireWrite {
  const plan = new RunPlan(taken, newId, check)
  let { dueAt, wakeAt, lastFiredAt } = taken
  // Where the next occurrence takes the place of all before it, it is asked first.
  const { overlap = 'skip' } = taken.document as StoredDocument
  if (!taken.paused && overlap !== 'cancel-previous') plan.turn()
  if (schedule !== undefined && dueAt !== undefined && !taken.paused) {
    const decision = decideFire({
      schedule,
      dueAt,
      now,
      running: plan.busyCount,
      ...(lastFiredAt === undefined ? {} : { lastFiredAt }),
    })
    for (const { reason, calendar, firstAt, lastAt, count, exact } of decision.skipped) {
      plan.skip({
        at: firstAt,
        lastAt,
        count,
        exact,
        reason: calendar === undefined ? reason : `${reason}: ${calendar}`,
      })
    }
    for (const { key, at, late } of decision.fires) {
      const run = { key, at, late, origin: 'schedule' } as const
      if (plan.begin(run)) lastFiredAt = Math.max(lastFiredAt ?? at, at)
    }
    dueAt = decision.next?.dueAt
    wakeAt = decision.next?.wakeAt
  }
  const round = followEnds(taken, now, plan)
  if (!taken.paused && overlap === 'cancel-previous') plan.turn()
  return { ...plan.write(), dueAt, wakeAt: taken.paused ? undefined : wakeAt, lastFiredAt, round }
}

/** What was gathered of the ends of others, as JSON text. */
function followEnds(taken: TakenSchedule, now: number, plan: RunPlan): string | undefined {
  const { dependency } = taken.document as StoredDocument
  let round = taken.round as Round | undefined
  if (dependency !== undefined && !taken.paused) {
    for (const end of taken.ends) {
      const decided = decideRound(dependency, round, end, now)
      round = decided.round
      if (decided.fires) plan.begin({ key: roundKey(taken.id, round!.id), at: now, late: false, origin: 'after' })
    }
  }
  return round === undefined ? undefined : JSON.stringify(round)
}

export interface Begin {
  readonly key: string
  readonly at: number
  readonly late: boolean
  readonly origin: RunOrigin
  readonly input?: Json
}

/** Gathers the runs of one decision, and knows how many are there by now. */
export class RunPlan {
  readonly #taken: TakenSchedule
  readonly #newId: () => string
  readonly #check: InputCheck | undefined
  readonly #runs: NewRun[] = []
  #runningCount: number
  #waitingCount: number
  #cancels: readonly string[] = []
  #dropsWaiting = false

  constructor(taken: TakenSchedule, newId: () => string, check?: InputCheck) {
    this.#taken = taken
    this.#newId = newId
    this.#check = check
    this.#runningCount = taken.running.length
    this.#waitingCount = taken.waiting.length
  }

  get busyCount(): number {
    return this.#runningCount + this.#waitingCount
  }

  /**
   * The next one that waits, when nothing is in its way. One that does not fit what is published by now is put away: the one behind it is
   * looked at in the next decision, which follows at once.
   */
  turn(): void {
    const [key] = this.#taken.waiting
    if (key === undefined || this.#runningCount > 0 || this.#dropsWaiting) return
    const waiting = this.#check && waitingInput(this.#taken)
    if (this.#check !== undefined && waiting === undefined) return
    const misfit = waiting && this.#check?.(waiting.input)
    if (misfit !== undefined) {
      this.#runs.push({ kind: 'refuse', key, reason: misfitReason(misfit) })
      this.#waitingCount -= 1
      return
    }
    this.#runs.push({ kind: 'promote', key })
    this.#runningCount += 1
    this.#waitingCount -= 1
  }

  /** Whether one more may wait. */
  get hasRoom(): boolean {
    return this.#waitingCount < MOST_WAITING
  }

  misfit(run: Begin): Misfit | undefined {
    return this.#check?.(inputOf(this.#taken, run))
  }

  /** Only the answer of a run that is there already is wanted. Were it deleted in this moment, it would be noted as skipped. */
  repeat({ key, at, origin }: Begin, misfit: Misfit): void {
    this.skip({ at, lastAt: at, count: 1, exact: true, reason: misfitReason(misfit), origin, key })
  }

  /**
   * Under the policy of the schedule, or another. What finds no room is noted as skipped: a request under its own key, so that it is answered
   * alike when it is repeated. `false`: it does not fit its workflow, which is noted too; it is in nobody's way.
   */
  begin(run: Begin, overlap: OverlapPolicy = this.#overlap()): boolean {
    const misfit = this.misfit(run)
    if (misfit !== undefined) {
      const { at, origin } = run
      const key = skipKey(this.#taken.id, 'input-invalid', at)
      this.skip({ at, lastAt: at, count: 1, exact: true, reason: misfitReason(misfit), origin, key })
      return false
    }
    if (overlap === 'cancel-previous' && this.busyCount > 0) this.#supersede()
    if (overlap === 'allow' || this.busyCount === 0) {
      this.#add('start', run)
      this.#runningCount += 1
      return true
    }
    if (!this.hasRoom || (overlap === 'skip' && run.origin !== 'after')) {
      const { key, at, origin } = run
      const asked = origin === 'request' ? { key } : {}
      this.skip({ at, lastAt: at, count: 1, exact: true, reason: 'overlap', origin, ...asked })
      return true
    }
    this.#add('wait', run)
    this.#waitingCount += 1
    return true
  }

  skip(skipped: Omit<SkippedNewRun, 'kind' | 'id' | 'key' | 'origin'> & { key?: string; origin?: RunOrigin }): void {
    const key = skipKey(this.#taken.id, skipped.reason, skipped.at)
    this.#runs.push({ kind: 'skip', id: this.#newId(), key, origin: 'schedule', ...skipped })
  }

  write(): FireWrite {
    const { tenant, id, dueAt, wakeAt, lastFiredAt, round, graphVersion } = this.#taken
    return {
      tenant,
      id,
      dueAt,
      wakeAt,
      lastFiredAt,
      round: round === undefined ? undefined : JSON.stringify(round),
      runs: this.#runs,
      cancels: this.#cancels,
      dropsWaiting: this.#dropsWaiting,
      version: graphVersion,
    }
  }

  #overlap(): OverlapPolicy {
    return (this.#taken.document as StoredDocument).overlap ?? 'skip'
  }

  #add(kind: 'start' | 'wait', { input, ...run }: Begin): void {
    const given = inputOf(this.#taken, { ...run, ...(input === undefined ? {} : { input }) })
    const started = startedBy(this.#taken, given)
    this.#runs.push({ kind, id: this.#newId(), ...run, started })
  }

  /** Ends what runs; of all that wait, those of this decision included, none is left. */
  #supersede(): void {
    this.#cancels = this.#taken.running
    this.#dropsWaiting = true
    this.#waitingCount = 0
    for (let index = this.#runs.length - 1; index >= 0; index--)
      if (this.#runs[index]!.kind === 'wait') this.#runs.splice(index, 1)
  }
}
