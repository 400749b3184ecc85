/**
 * Fires what is due. The store's clock decides when that is; here is only a timer for the nearest moment, a poll for what nobody
 * told us of, and a wake-up when a schedule changed. Every node may run this: the store hands a schedule to one of them at a time.
 *
 *   look      one cheap read: is something due, and when is the next thing? Alone every `idlePollMs` when nothing happens.
 *   fire      batches, two at a time while they come full. A run and the advance of its schedule are one transaction,
 *             so a node that dies in between leaves nothing half done.
 */
import { type Clock, errorMessage, type Logger, type Timer, Trouble } from '@lockstep/base'
import type { EngineMetrics } from '../metrics/engine-metrics.ts'
import type { FireWrite, RunAnswer, ScheduleStore, TakenSchedule } from '../store/schedule-store.ts'
import { CompiledSchedules } from './compiled-schedules.ts'
import { decideTaken } from './decide-taken.ts'
import type { InputCheck } from './input-check.ts'
import type { ChecksOf, InputChecks } from './input-checks.ts'

export interface SchedulerOptions {
  readonly schedules: ScheduleStore
  readonly checks: InputChecks
  readonly clock: Clock
  readonly logger: Logger
  readonly newId: () => string
  /** Of the incarnation that lives now. */
  readonly nodeId: () => string
  /** Instances were started, for any node to pick up. */
  readonly onStarted: () => void
  /** Published graphs have other triggers than their schedules say. */
  readonly onStale: () => Promise<void>
  /** The longest pause between two looks. */
  readonly idlePollMs: number
  /** @default 500 */
  readonly batch?: number
  readonly metrics?: EngineMetrics | undefined
}

/** What a round of firing came to. */
export interface FiredRuns {
  readonly started: number
  readonly waiting: number
  readonly skipped: number
}

/** While runs wait for others that may end on any node. */
const WAITING_POLL_MS = 500
/** Ends that come together are looked at together. */
const GATHER_MS = 5
const FLIGHTS = 2
const FAILED_PAUSE_MS = 1_000
/** Something is due, and somebody else has it. */
const BUSY_PAUSE_MS = 100
/** How long a schedule that this node cannot read is left for others. */
const UNREADABLE_MS = 60_000
const MOST_WATCHED = 10_000

export class Scheduler {
  readonly #o: Required<SchedulerOptions>
  readonly #trouble: Trouble
  readonly #compiled = new CompiledSchedules()
  readonly #watched = new Set<string>()
  #timer: Timer | undefined
  #timerAt = Number.POSITIVE_INFINITY
  #looking = false
  #again = false
  #running = false

  constructor(options: SchedulerOptions) {
    this.#o = { batch: 500, metrics: undefined, ...options }
    this.#trouble = new Trouble(options.logger, 'could not fire schedules', 'schedules are fired again')
  }

  run(): void {
    this.#running = true
    this.wake()
  }

  stop(): void {
    this.#running = false
    this.#timer?.cancel()
  }

  /** A schedule changed, or something may be due. */
  wake(): void {
    if (!this.#running) return
    if (this.#looking) this.#again = true
    else void this.#turn()
  }

  /** An instance ended on this node. Looks soon when others wait for ends of its kind. */
  ended(definitionId: string): void {
    if (this.#watched.has(definitionId)) this.#lookIn(GATHER_MS)
  }

  /** Ends of this definition's instances let others begin. */
  watch(definitionId: string): void {
    if (this.#watched.size < MOST_WATCHED) this.#watched.add(definitionId)
  }

  /** Fires everything that is due now, once. The only way when the scheduler is off. */
  async runDue(): Promise<FiredRuns> {
    if ((await this.#o.schedules.look()).stale) await this.#o.onStale()
    return this.#fireAll()
  }

  async #fireAll(): Promise<FiredRuns> {
    const sum = { started: 0, waiting: 0, skipped: 0 }
    let misfires = 0
    /** `true`: there is probably more. */
    const fire = async (): Promise<boolean> => {
      const { taken, fired, missed } = await this.#fire()
      misfires += missed
      for (const state of ['started', 'waiting', 'skipped'] as const) sum[state] += fired[state]
      return taken >= this.#o.batch
    }
    const drain = async (): Promise<void> => {
      while (await fire());
    }
    try {
      if (await fire()) await Promise.all(Array.from({ length: FLIGHTS }, drain))
    } finally {
      // When many are due, those that are late already go before the work that the first of them begin.
      if (sum.started > 0) this.#o.onStarted()
      this.#o.metrics?.schedulesFired(sum.started, sum.waiting, sum.skipped, misfires)
    }
    return sum
  }

  async #turn(): Promise<void> {
    this.#looking = true
    this.#timer?.cancel()
    this.#timerAt = Number.POSITIVE_INFINITY
    let pauseMs = this.#o.idlePollMs
    try {
      do {
        this.#again = false
        pauseMs = await this.#lookAndFire()
        this.#o.metrics?.schedulerLooked()
      } while (this.#again && this.#running)
      this.#trouble.over()
    } catch (error) {
      if (this.#running) this.#trouble.failed(error)
      pauseMs = FAILED_PAUSE_MS
    } finally {
      this.#looking = false
      this.#lookIn(this.#again ? 0 : pauseMs)
    }
  }

  /** Answers how long there is nothing to do. */
  async #lookAndFire(): Promise<number> {
    let look = await this.#o.schedules.look()
    if (look.stale) {
      await this.#o.onStale()
      look = await this.#o.schedules.look()
    }
    let wasIdle = false
    while (look.due && this.#running) {
      const { started, waiting, skipped } = await this.#fireAll()
      look = await this.#o.schedules.look()
      const isIdle = started + waiting + skipped === 0
      if (look.due && isIdle && wasIdle) return BUSY_PAUSE_MS
      wasIdle = isIdle
    }
    const poll = look.waiting ? WAITING_POLL_MS : this.#o.idlePollMs
    return Math.max(1, Math.min(poll, look.nextInMs ?? poll))
  }

  #lookIn(ms: number): void {
    if (!this.#running) return
    const at = this.#o.clock.monotonic() + ms
    if (this.#looking) {
      this.#again = true
      return
    }
    if (at >= this.#timerAt) return
    this.#timer?.cancel()
    this.#timerAt = at
    this.#timer = this.#o.clock.schedule(ms, () => {
      this.#timerAt = Number.POSITIVE_INFINITY
      this.wake()
    })
  }

  async #fire(): Promise<{ readonly taken: number; readonly fired: FiredRuns; readonly missed: number }> {
    const { schedules, checks, nodeId, batch } = this.#o
    let decided: readonly FireWrite[] = []
    const fire = (of: ChecksOf) =>
      schedules.fire(nodeId(), batch, (rows, now) => {
        const checksOf = of(rows)
        decided = rows.map((row, index) => this.#decide(row, now, checksOf[index])) // perhaps not for the first time
        return decided
      })
    const { taken, runs } = await checks.decided(fire)
    return { taken, fired: countRuns(runs), missed: countMisfires(decided, runs) }
  }

  #decide(taken: TakenSchedule, now: number, check: InputCheck | undefined): FireWrite {
    try {
      const write = decideTaken({ taken, schedule: this.#compiled.get(taken), now, newId: this.#o.newId, check })
      if (taken.waiting.length > 0 || write.runs.some((run) => run.kind === 'wait')) this.watch(taken.definitionId)
      return write
    } catch (error) {
      // One that cannot be read here, for its zone or its version, must not keep the others from firing.
      this.#o.logger.error('cannot decide about a schedule', { scheduleId: taken.id, reason: errorMessage(error) })
      const { tenant, id, dueAt, lastFiredAt, round } = taken
      const kept = round === undefined ? undefined : JSON.stringify(round)
      const wakeAt = now + UNREADABLE_MS
      return { tenant, id, dueAt, wakeAt, lastFiredAt, round: kept, runs: [], cancels: [], dropsWaiting: false }
    }
  }
}

function countRuns(runs: readonly RunAnswer[]): FiredRuns {
  const counts = { started: 0, waiting: 0, skipped: 0 }
  for (const run of runs) if (run.created) counts[run.state] += 1
  return counts
}

/** Occurrences, where a run that was skipped may stand for many. What a calendar, a pause or an earlier run kept back was not missed. */
function countMisfires(decided: readonly FireWrite[], runs: readonly RunAnswer[]): number {
  const created = new Set(runs.filter((run) => run.created).map((run) => run.key))
  return decided
    .flatMap((write) => write.runs)
    .reduce((sum, run) => {
      const isMisfire = run.kind === 'skip' && run.reason === 'misfire' && created.has(run.key)
      return isMisfire ? sum + run.count : sum
    }, 0)
}
