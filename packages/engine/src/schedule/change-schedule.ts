/** Decisions about one schedule: to write it, to stop and continue it. Pure; the store calls them inside its transaction. */
import { canonicalJson, type Json } from '@lockstep/base'
import type { FireWrite, NewSchedule, ScheduleChange, SkippedNewRun, TakenSchedule } from '../store/schedule-store.ts'
import { compileRow } from './compiled-schedules.ts'
import { decideFire } from './decide-fire.ts'
import { dueOccurrences, type Pending } from './due-occurrences.ts'
import type { StoredDocument } from './run-input.ts'
import { skipKey } from './run-key.ts'
import type { Schedule } from './schedule.ts'

export interface WriteRequest {
  readonly tenant: string
  readonly id: string
  readonly document: StoredDocument
  readonly definitionId: string
  readonly owner: string | undefined
  readonly activity: string | undefined
}

type Written = Extract<ScheduleChange, { kind: 'write' }>

/**
 * A schedule that keeps its times keeps its place in them: what is due stays due. New times count from now on; a single moment
 * that lies in the past is due at once, and its misfire policy says what that means.
 */
export function writeSchedule(
  request: WriteRequest,
  current: TakenSchedule | undefined,
  now: number,
  newId: () => string,
): Written {
  const { tenant, id, document, definitionId, owner, activity } = request
  const { paused = false, ...own } = document
  const schedule = own.trigger === undefined ? undefined : compileRow({ document: own, paused })
  const keeps = current !== undefined && sameTimes(current.document as StoredDocument, own)
  // Written without its pause, it goes on as if it had been resumed.
  const gone = keeps && current.paused && !paused ? goneBy(current, now, newId) : undefined
  const pending: Partial<Pending> | undefined =
    gone !== undefined ? gone.pending : keeps ? pendingOf(current, now) : firstPending(schedule, now)
  const save: NewSchedule = {
    document: JSON.stringify(own),
    definitionId,
    owner,
    activity,
    paused,
    after: own.dependency?.jobs ?? [],
  }
  const fire: FireWrite = {
    tenant,
    id,
    dueAt: pending?.dueAt,
    wakeAt: paused ? undefined : pending?.wakeAt,
    lastFiredAt: current?.lastFiredAt,
    round: current?.round === undefined ? undefined : JSON.stringify(current.round),
    runs: gone?.runs ?? [],
    cancels: [],
    dropsWaiting: false,
  }
  return { kind: 'write', save, fire }
}

/** Nothing of it fires until it is resumed; occurrences go by meanwhile. */
export function pauseSchedule(current: TakenSchedule): Written {
  const { dueAt, lastFiredAt } = current
  return { kind: 'write', save: saveOf(current, true), fire: { ...idle(current), dueAt, lastFiredAt } }
}

/** Notes what went by during the pause, and goes on with what comes. */
export function resumeSchedule(current: TakenSchedule, now: number, newId: () => string): Written {
  const { pending, runs } = goneBy(current, now, newId)
  const { lastFiredAt } = current
  return { kind: 'write', save: saveOf(current, false), fire: { ...idle(current), ...pending, lastFiredAt, runs } }
}

/** Occurrences that a pause let go by, and what comes after them. Runs that waited have their turn at once. */
function goneBy(
  { id, document, dueAt, lastFiredAt, waiting }: TakenSchedule,
  now: number,
  newId: () => string,
): { readonly pending: Partial<Pending>; readonly runs: readonly SkippedNewRun[] } {
  const soon = waiting.length > 0 ? { wakeAt: now } : {}
  if ((document as StoredDocument).trigger === undefined || dueAt === undefined) return { pending: soon, runs: [] }
  const decision = decideFire({
    schedule: compileRow({ document, paused: true }),
    dueAt,
    now,
    running: 0,
    ...(lastFiredAt === undefined ? {} : { lastFiredAt }),
  })
  const runs = decision.skipped.map(({ firstAt, lastAt, count, exact, reason, calendar }): SkippedNewRun => {
    const why = calendar === undefined ? reason : `${reason}: ${calendar}`
    const key = skipKey(id, why, firstAt)
    return { kind: 'skip', id: newId(), key, origin: 'schedule', at: firstAt, lastAt, count, exact, reason: why }
  })
  return { pending: { ...decision.next, ...soon }, runs }
}

const saveOf = ({ document, definitionId, owner, activity, after }: TakenSchedule, paused: boolean): NewSchedule => ({
  document: JSON.stringify(document),
  definitionId,
  owner,
  activity,
  paused,
  after,
})

const idle = ({ tenant, id, round }: TakenSchedule): FireWrite => ({
  tenant,
  id,
  dueAt: undefined,
  wakeAt: undefined,
  lastFiredAt: undefined,
  round: round === undefined ? undefined : JSON.stringify(round),
  runs: [],
  cancels: [],
  dropsWaiting: false,
})

/** A paused row has no time to wake at; what is due then is looked at soon after it continues. */
function pendingOf({ dueAt, wakeAt, waiting }: TakenSchedule, now: number): Partial<Pending> {
  const wakes = wakeAt ?? (dueAt === undefined && waiting.length === 0 ? undefined : Math.max(dueAt ?? now, now))
  return { ...(dueAt === undefined ? {} : { dueAt }), ...(wakes === undefined ? {} : { wakeAt: wakes }) }
}

function firstPending(schedule: Schedule | undefined, now: number): Pending | undefined {
  if (schedule === undefined) return undefined
  const { trigger } = schedule
  if (trigger.kind === 'once' && trigger.at <= now) return dueOccurrences(schedule, trigger.at - 1, trigger.at - 1).next
  return dueOccurrences(schedule, now, now).next
}

function sameTimes(before: StoredDocument, after: StoredDocument): boolean {
  const times = ({ trigger, dst, calendars, startAt, endAt, jitterMs }: StoredDocument): string =>
    canonicalJson(JSON.parse(JSON.stringify({ trigger, dst, calendars, startAt, endAt, jitterMs })) as Json)
  return times(before) === times(after)
}
