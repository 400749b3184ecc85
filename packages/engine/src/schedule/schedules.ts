/** Schedules as programs and servers see them. What they change is decided inside the store's transaction, by its clock. */
import { InvalidOption, type Json } from '@lockstep/base'
import { DefinitionNotFound } from '../definition/errors.ts'
import { toPayload } from '../step/payload.ts'
import type {
  RunAnswer,
  ScheduleChange,
  ScheduleRow,
  ScheduleRun,
  ScheduleStore,
  TakenSchedule,
} from '../store/schedule-store.ts'
import { pauseSchedule, resumeSchedule, type WriteRequest, writeSchedule } from './change-schedule.ts'
import { acceptSchedule, compileSchedule } from './compile-schedule.ts'
import { compileRow } from './compiled-schedules.ts'
import { ScheduleChanged, ScheduleExists, ScheduleNotFound, ScheduleOwned } from './errors.ts'
import type { Misfit } from './input-check.ts'
import type { ChecksOf, InputChecks } from './input-checks.ts'
import { parseInstant } from './instant-text.ts'
import { type PreviewLine, preview } from './preview.ts'
import { type ReadRuns, repeatable } from './repeated-runs.ts'
import { requestBackfill, requestRun } from './request-runs.ts'
import type { StoredDocument } from './run-input.ts'
import type { InstantText, Schedule, ScheduleDocument } from './schedule.ts'
import type { FiredRuns } from './scheduler.ts'

export interface ScheduleView {
  readonly id: string
  readonly tenant: string
  readonly revision: number
  /** With `paused` as it is now. A job that runs only after others has no trigger. */
  readonly document: StoredDocument
  readonly paused: boolean
  /** The next nominal instant. Absent: it has ended, or does not go by time. */
  readonly nextAt: number | undefined
  readonly lastFiredAt: number | undefined
  /** `job`, or `definition:<id>`; absent: a person made it. */
  readonly owner: string | undefined
}

export interface InTenant {
  /** @default 'default' */
  readonly tenant?: string
}

export interface AtRevision extends InTenant {
  /** The revision that was read; absent: whatever is there. */
  readonly revision?: number
}

export type TriggerOutcome =
  | { readonly outcome: 'started'; readonly key: string; readonly instanceId: string; readonly created: boolean }
  | { readonly outcome: 'queued'; readonly key: string; readonly created: boolean }
  /** Another run is under way, and the schedule says to skip. */
  | { readonly outcome: 'skipped'; readonly key: string; readonly reason: string; readonly created: boolean }

export interface BackfillOutcome {
  readonly started: number
  readonly queued: number
  /** Had fired before, or been filled in. */
  readonly existing: number
  /** Where to go on when there was no room for all. */
  readonly moreFrom: number | undefined
}

export interface SchedulesOptions {
  readonly schedules: ScheduleStore
  readonly checks: InputChecks
  /** The store's time: a preview must not depend on which node was asked. */
  readonly storeTime: () => number
  readonly newId: () => string
  readonly nodeId: () => string
  readonly runDue: () => Promise<FiredRuns>
  /** A schedule has other times, or a run waits. */
  readonly onChanged: () => void
  /** Instances were started, for any node to pick up. */
  readonly onStarted: () => void
  /** A run waits for another of this definition to end. */
  readonly onWaiting: (definitionId: string) => void
}

const TENANT = 'default'
const MOST_LISTED = 1_000
const MOST_FILLED = 1_000
const LONGEST_KEY = 200
/** Under a key that was made for this request. */
const nothingRan: ReadRuns = async () => []

export class Schedules {
  readonly #o: SchedulesOptions

  constructor(options: SchedulesOptions) {
    this.#o = options
  }

  /** Throws `SCHEDULE_EXISTS`, `SCHEDULE_INVALID`, and `INPUT_INVALID` where its workflow is there already. */
  async create(document: ScheduleDocument, { tenant = TENANT }: InTenant = {}): Promise<ScheduleView> {
    const request = requestOf(tenant, document)
    const misfit = await this.#misfit(request)
    return this.#change(tenant, request.id, (current, now) => {
      if (current !== undefined) throw new ScheduleExists({ scheduleId: request.id })
      if (misfit !== undefined) throw misfit
      return writeSchedule(request, undefined, now, this.#o.newId)
    })
  }

  /** Creates or replaces. With a revision it only replaces that one. */
  async put(document: ScheduleDocument, { tenant = TENANT, revision }: AtRevision = {}): Promise<ScheduleView> {
    const request = requestOf(tenant, document)
    const misfit = await this.#misfit(request)
    return this.#change(tenant, request.id, (current, now) => {
      if (current === undefined && revision !== undefined) throw new ScheduleNotFound({ scheduleId: request.id })
      if (current !== undefined) requireRevision(current, revision)
      if (current !== undefined) requireOwn(current)
      if (misfit !== undefined) throw misfit
      return writeSchedule(request, current, now, this.#o.newId)
    })
  }

  async get(id: string, { tenant = TENANT }: InTenant = {}): Promise<ScheduleView> {
    const row = await this.#o.schedules.get(tenant, id)
    if (row === undefined) throw new ScheduleNotFound({ scheduleId: id })
    return toView(row)
  }

  /** By id; `after` is the id of the last one of the page before. */
  async list({
    tenant = TENANT,
    after,
    limit = 100,
  }: InTenant & { after?: string; limit?: number } = {}): Promise<readonly ScheduleView[]> {
    return (await this.#o.schedules.list(tenant, after, atMost('limit', limit, MOST_LISTED))).map(toView)
  }

  /**
   * Its runs go on and stay listed; those that wait do not start. Throws `SCHEDULE_OWNED` where it goes with a workflow. That of a job can be
   * removed: nobody else would where the job is gone from the code, and where it is not the next node that starts writes it again.
   */
  async remove(id: string, { tenant = TENANT, revision }: AtRevision = {}): Promise<void> {
    const { schedules, nodeId } = this.#o
    await schedules.change(nodeId(), tenant, id, (found) => {
      const current = existing(found, id)
      requireRevision(current, revision)
      if (current.owner !== 'job') requireOwn(current)
      return { kind: 'remove' }
    })
  }

  /** Occurrences go by until it is resumed. Pausing twice changes nothing. */
  async pause(id: string, { tenant = TENANT, revision }: AtRevision = {}): Promise<ScheduleView> {
    return this.#change(tenant, id, (found) => {
      const current = existing(found, id)
      requireRevision(current, revision)
      return current.paused ? undefined : pauseSchedule(current)
    })
  }

  async resume(id: string, { tenant = TENANT, revision }: AtRevision = {}): Promise<ScheduleView> {
    return this.#change(tenant, id, (found, now) => {
      const current = existing(found, id)
      requireRevision(current, revision)
      return current.paused ? resumeSchedule(current, now, this.#o.newId) : undefined
    })
  }

  /** One run now, beside its times. Answers alike when it is asked again with the same key. Throws `INPUT_INVALID`. */
  async triggerNow(
    id: string,
    options: InTenant & { readonly key?: string; readonly force?: boolean; readonly input?: unknown } = {},
  ): Promise<TriggerOutcome> {
    const { tenant = TENANT, key = this.#o.newId(), force = false } = options
    if (key.length === 0 || key.length > LONGEST_KEY || key.includes('\0'))
      throw new InvalidOption({ option: 'key', rule: `text of 1 to ${LONGEST_KEY} characters without NUL` })
    const input: Json | undefined = options.input === undefined ? undefined : toPayload(options.input, 'The input')
    const { schedules, checks, nodeId, newId } = this.#o
    const request = (of: ChecksOf, ran: ReadonlySet<string>) =>
      schedules.change(nodeId(), tenant, id, (found, now) => {
        const current = existing(found, id)
        const [check] = of([current])
        return requestRun(current, { key, force, input }, { now, newId, check, ran })
      })
    const earlier = options.key === undefined ? nothingRan : this.#runsOf(tenant, id)
    const { row, runs } = await repeatable(earlier, -Infinity, (ran) => checks.decided((of) => request(of, ran)))
    this.#told(row, runs)
    return toOutcome(runs[0]!, row)
  }

  /** Runs the occurrences in `[from, to)` that never fired, oldest first, one after another unless they may overlap. Throws `INPUT_INVALID`. */
  async backfill(
    id: string,
    range: InTenant & {
      readonly from: InstantText
      readonly to: InstantText
      /** @default 1_000 */
      readonly limit?: number
      /** @default 'allow' where the schedule says so, else 'queue' */
      readonly overlap?: 'queue' | 'allow'
    },
  ): Promise<BackfillOutcome> {
    const { tenant = TENANT } = range
    const from = instantOf('from', range.from)
    const to = instantOf('to', range.to)
    if (from >= to) throw new InvalidOption({ option: 'to', rule: 'later than "from"', value: range.to })
    const limit = atMost('limit', range.limit ?? MOST_FILLED, MOST_FILLED)
    let moreFrom: number | undefined
    const { schedules, checks, nodeId, newId } = this.#o
    const request = (of: ChecksOf, ran: ReadonlySet<string>) =>
      schedules.change(nodeId(), tenant, id, (found, now) => {
        const current = existing(found, id)
        if ((current.document as StoredDocument).trigger === undefined) return undefined
        const [check] = of([current])
        const schedule = compileRow(current)
        const overlap = range.overlap ?? (schedule.overlap === 'allow' ? 'allow' : 'queue')
        const plan = requestBackfill(current, schedule, { from, to, limit, overlap }, { now, newId, check, ran })
        moreFrom = plan.moreFrom
        return plan.change
      })
    const earlier = this.#runsOf(tenant, id)
    const { row, runs } = await repeatable(earlier, from, (ran) => checks.decided((of) => request(of, ran)))
    this.#told(row, runs)
    const count = (state: RunAnswer['state']): number => runs.filter((run) => run.created && run.state === state).length
    return {
      started: count('started'),
      queued: count('waiting'),
      existing: runs.filter((run) => !run.created).length,
      moreFrom,
    }
  }

  /** The next fires of a schedule, or of a document that is no schedule yet. */
  async preview(
    schedule: string | ScheduleDocument,
    options: InTenant & { readonly count?: number; readonly from?: InstantText } = {},
  ): Promise<readonly PreviewLine[]> {
    const { tenant = TENANT, count = 10 } = options
    const from = options.from === undefined ? this.#o.storeTime() : instantOf('from', options.from)
    const compiled = typeof schedule === 'string' ? await this.#compiled(tenant, schedule) : compileSchedule(schedule)
    return compiled === undefined ? [] : preview(compiled, from, count)
  }

  /** Latest first; `before` is the id of the last one of the page before. */
  async runs(
    id: string,
    { tenant = TENANT, before, limit = 100 }: InTenant & { before?: string; limit?: number } = {},
  ): Promise<readonly ScheduleRun[]> {
    return this.#o.schedules.runs(tenant, id, before, atMost('limit', limit, MOST_LISTED))
  }

  /** Fires everything that is due, on this node, now. */
  runDue(): Promise<FiredRuns> {
    return this.#o.runDue()
  }

  #runsOf(tenant: string, id: string): ReadRuns {
    return (before, limit) => this.#o.schedules.runs(tenant, id, before, limit)
  }

  /** Of its own input; runs that have none are given their occurrence. */
  async #misfit({ tenant, document: { definitionId, input } }: WriteRequest): Promise<Misfit | undefined> {
    if (definitionId === undefined || input === undefined) return undefined
    return this.#o.checks.misfit(tenant, definitionId, input)
  }

  async #compiled(tenant: string, id: string): Promise<Schedule | undefined> {
    const row = await this.#o.schedules.get(tenant, id)
    if (row === undefined) throw new ScheduleNotFound({ scheduleId: id })
    return (row.document as StoredDocument).trigger === undefined ? undefined : compileRow(row)
  }

  async #change(
    tenant: string,
    id: string,
    decide: (current: TakenSchedule | undefined, now: number) => ScheduleChange | undefined,
  ): Promise<ScheduleView> {
    const { row } = await this.#o.schedules.change(this.#o.nodeId(), tenant, id, decide)
    if (row === undefined) throw new ScheduleNotFound({ scheduleId: id })
    this.#o.onChanged()
    return toView(row)
  }

  #told(row: ScheduleRow | undefined, runs: readonly RunAnswer[]): void {
    if (row !== undefined && runs.some((run) => run.state === 'waiting')) this.#o.onWaiting(row.definitionId)
    if (runs.some((run) => run.created && run.state === 'started')) this.#o.onStarted()
    if (runs.some((run) => run.created)) this.#o.onChanged()
  }
}

/** Throws `SCHEDULE_INVALID`. */
function requestOf(tenant: string, document: ScheduleDocument): WriteRequest {
  acceptSchedule(document)
  if (document.input !== undefined) toPayload(document.input, 'The input')
  const definitionId = document.definitionId ?? document.job
  // Accepting has made sure that one of them is there.
  return { tenant, id: document.id, document, definitionId: definitionId!, owner: undefined, activity: undefined }
}

function existing(current: TakenSchedule | undefined, scheduleId: string): TakenSchedule {
  if (current === undefined) throw new ScheduleNotFound({ scheduleId })
  return current
}

function requireRevision(current: ScheduleRow, revision: number | undefined): void {
  if (revision !== undefined && revision !== current.revision)
    throw new ScheduleChanged({ scheduleId: current.id, revision: current.revision })
}

function requireOwn({ id, owner }: ScheduleRow): void {
  if (owner !== undefined) throw new ScheduleOwned({ scheduleId: id, owner })
}

function toOutcome(
  { key, state, reason, instanceId, created }: RunAnswer,
  row: ScheduleRow | undefined,
): TriggerOutcome {
  if (state === 'started') return { outcome: 'started', key, instanceId: instanceId!, created }
  if (state === 'waiting') return { outcome: 'queued', key, created }
  if (reason === 'no-definition') throw new DefinitionNotFound({ definitionId: row?.definitionId ?? '?' })
  return { outcome: 'skipped', key, reason: reason ?? 'overlap', created }
}

export function toView(row: ScheduleRow): ScheduleView {
  const { id, tenant, revision, paused, dueAt, lastFiredAt, owner } = row
  const document = { ...(row.document as StoredDocument), paused }
  return { id, tenant, revision, document, paused, nextAt: dueAt, lastFiredAt, owner }
}

function instantOf(option: string, value: InstantText): number {
  const at = parseInstant(value)
  if (at === undefined)
    throw new InvalidOption({ option, rule: 'ISO 8601 with a zone, or epoch milliseconds', value: String(value) })
  return at
}

function atMost(option: string, value: number, most: number): number {
  if (!Number.isInteger(value) || value < 1) throw new InvalidOption({ option, rule: 'a whole number from 1', value })
  return Math.min(value, most)
}
