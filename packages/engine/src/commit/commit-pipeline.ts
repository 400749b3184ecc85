/**
 * Group commit. All writes of a node pass here: the first one of an idle pipeline leaves at once, the others gather while a
 * flush is under way and leave together. The batch size follows the load by itself; a timer is only for a flush that does not come back.
 *
 * An instance is in one flush at a time, because its source is asked for an item only when its last one was answered.
 * What the store says decides: an unknown outcome is resolved by sending the same batch again under the same number, a batch
 * that fails on bad data is split until the bad item stands alone. Nothing here guesses.
 *
 * A store that is away is waited for however long by what runs, and for a while by whoever wants to start something. Then a start that
 * surely was not written is withdrawn; of one whose answer was lost the caller is told so, and it is sent on until it is decided.
 */
import {
  type Clock,
  errorCode,
  errorMessage,
  isRetryable,
  type Logger,
  PassingSet,
  type Random,
  TimedOut,
  type Timer,
  Trouble,
} from '@lockstep/base'
import type { EngineMetrics } from '../metrics/engine-metrics.ts'
import type {
  CheckpointItem,
  CheckpointVerdict,
  CommitBatch,
  CommitResult,
  CommitStore,
  StartItem,
} from '../store/commit-store.ts'
import { Fenced } from '../store/errors.ts'
import { Patience } from './patience.ts'
import { isPatient, type QueuedStart, SingleStart, type StartAnswer, unreachable } from './queued-start.ts'
import { StartCrowd } from './start-crowd.ts'

/** Something with facts to write. It is asked when a batch is built, so that it can say all it has at that moment. */
export interface CheckpointSource {
  /** Goes before those that are not: it was waited for. Once set it stays. */
  readonly urgent: boolean
  /** `undefined`: nothing to write after all. */
  take(): CheckpointItem | undefined
  settle(verdict: CheckpointVerdict, at: number): void
  /** The item itself cannot be written; the instance stays as it was. */
  fail(error: unknown): void
}

export interface PipelineOptions {
  readonly nodeId: string
  readonly commits: CommitStore
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** Flushes under way at once, where many wait or one is late. Two keep a server busy while the next batch is built. @default 2 */
  readonly flights?: number
  /** Items of one batch. @default 1_000 */
  readonly batchLimit?: number
  /** Called once, when the store refuses everything from this node. */
  readonly onFenced: () => void
  /** Called after each commit with the store's clock and how many instances of others it gave something to do. */
  readonly onCommit: (at: number, woken: number) => void
  /** A start that nobody waits for any more is written: what it claimed is in nobody's hand. */
  readonly onLateStart?: (item: StartItem) => void
  readonly metrics?: EngineMetrics | undefined
}

interface Flight {
  /** Fewer, when some were withdrawn. */
  starts: readonly QueuedStart[]
  readonly checkpoints: readonly { readonly source: CheckpointSource; readonly item: CheckpointItem }[]
  since: number
  isUnderWay: boolean
  /** The answer to an attempt was lost: it may be written. */
  isUnclear: boolean
}

export interface PipelineStats {
  readonly flushCount: number
  readonly itemCount: number
}

const FIRST_BACKOFF_MS = 20
const LONGEST_BACKOFF_MS = 1_000
/** Fewer items than this are not worth a second round trip: they gather until the one under way is back, and cost both sides half as much. */
const WORTH_SHARING = 96
/** A flush that is under way for longer holds nobody up: it may rest between two attempts, or go in parts. */
const LATE_MS = 30
/** Checkpoints in one batch: what comes due meanwhile waits until it is written. */
const MOST_CHECKPOINTS = 300
/** Starts in one batch; fewer where others wait for it too. */
const MOST_STARTS = 500
const MOST_STARTS_BESIDE = 150

export class CommitPipeline {
  readonly #options: Required<PipelineOptions>
  readonly #starts: QueuedStart[] = []
  /** Those that have something to write, the urgent ones apart. */
  readonly #urgent = new PassingSet<CheckpointSource>()
  readonly #dirty = new PassingSet<CheckpointSource>()
  /** Of refused batches: what waits for the part before it. */
  readonly #parts = new Set<Flight>()
  /** When those under way left, monotonic, the oldest first. */
  readonly #leftAt: number[] = []
  #scheduled = false
  #flushNo = 0
  #itemCount = 0
  #fenced = false
  #closed = false
  #alarm: Timer | undefined
  #idle: (() => void)[] = []
  readonly #patience: Patience<Flight>
  readonly #trouble: Trouble
  readonly #onLate = ({ verdict }: StartAnswer, item: StartItem): void => {
    if (verdict.kind === 'started') this.#options.onLateStart(item)
  }

  constructor(options: PipelineOptions) {
    this.#options = { flights: 2, batchLimit: 1_000, metrics: undefined, onLateStart: () => {}, ...options }
    const { clock, logger } = this.#options
    this.#patience = new Patience(clock, (flight) => {
      const afterMs = Math.round(clock.monotonic() - flight.since)
      this.#giveUp(flight, new TimedOut({ what: 'the answer to a commit', afterMs }))
    })
    this.#trouble = new Trouble(logger, 'commit not answered, sending it again', 'commits are answered again')
  }

  get stats(): PipelineStats {
    return { flushCount: this.#flushNo, itemCount: this.#itemCount }
  }

  /** The number of a batch that is committed elsewhere, together with a user's own transaction. */
  reserveFlushNo(): number {
    this.#flushNo += 1
    return this.#flushNo
  }

  /**
   * Settles when the start is durable, or refused. Rejects with `DATABASE_UNREACHABLE` when the store was silent for too long and nothing was
   * written, with `START_UNCLEAR` when it may have been.
   */
  start(item: StartItem): Promise<StartAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#fenced || this.#closed) return reject(new Fenced({ nodeId: this.#options.nodeId }))
      this.#starts.push(new SingleStart(item, resolve, reject, this.#onLate))
      this.#kick()
    })
  }

  /** The same for many, in order; settles when all are decided. */
  startAll(items: readonly StartItem[]): Promise<readonly StartAnswer[]> {
    return new Promise((resolve, reject) => {
      if (this.#fenced || this.#closed) return reject(new Fenced({ nodeId: this.#options.nodeId }))
      for (const each of new StartCrowd(items, resolve, reject, this.#onLate).members()) this.#starts.push(each)
      this.#kick()
    })
  }

  /** Asks for a flush of what the source has. Asking twice is asking once. */
  mark(source: CheckpointSource): void {
    if (this.#fenced) return
    if (source.urgent) this.#urgent.add(source)
    else this.#dirty.add(source)
    this.#kick()
  }

  /** Settles when nothing is queued or under way. */
  drained(): Promise<void> {
    if (this.#isIdle()) return Promise.resolve()
    return new Promise((resolve) => this.#idle.push(resolve))
  }

  /** The node is about to go: nobody is kept waiting for a store that is away. */
  hurry(): void {
    // Those that are at an attempt learn of it when that has failed.
    for (const flight of this.#patience.hurry())
      if (!flight.isUnderWay) this.#giveUp(flight, new TimedOut({ what: 'the store', afterMs: 0 }))
  }

  /** Takes nothing more. Resends stop; what they would have settled stays unknown to this process, as after a crash. */
  close(): void {
    this.#closed = true
    this.#alarm?.cancel()
    this.#failUnsent(new Fenced({ nodeId: this.#options.nodeId }))
  }

  #failUnsent(error: Error): void {
    for (const each of this.#starts.splice(0)) each.fail(error)
    for (const part of this.#parts) {
      for (const each of part.starts) each.fail(error)
      part.starts = []
    }
  }

  #isIdle(): boolean {
    return this.#flying === 0 && this.#starts.length === 0 && this.#dirty.size === 0 && this.#urgent.size === 0
  }

  get #flying(): number {
    return this.#leftAt.length
  }

  get #waitingCount(): number {
    return this.#starts.length + this.#dirty.size + this.#urgent.size
  }

  #kick(): void {
    if (this.#scheduled || this.#flying >= this.#options.flights || this.#isIdle() || this.#closed) return
    if (this.#flying > 0 && this.#waitingCount <= WORTH_SHARING && this.#patientMs > 0) return this.#kickWhenLate()
    this.#scheduled = true
    this.#options.clock.soon(() => {
      this.#scheduled = false
      const flight = this.#gather()
      if (sizeOf(flight) > 0) void this.#fly(flight)
      else this.#settleIdle()
    })
  }

  /** Until the oldest flush that is under way is late. */
  get #patientMs(): number {
    return LATE_MS - (this.#options.clock.monotonic() - this.#leftAt[0]!)
  }

  /** One alarm for many flushes: when it rings it looks how long the present one has been under way. */
  #kickWhenLate(): void {
    if (this.#alarm !== undefined || this.#waitingCount === 0) return
    this.#alarm = this.#options.clock.schedule(Math.max(1, this.#patientMs), () => {
      this.#alarm = undefined
      this.#kick()
    })
  }

  /** What goes on comes before what begins: a flood of starts must not delay timers and resumes (P10). */
  #gather(): Flight {
    const limit = this.#share()
    const checkpoints: { source: CheckpointSource; item: CheckpointItem }[] = []
    const add = (source: CheckpointSource): void => {
      const item = source.take()
      if (item !== undefined) checkpoints.push({ source, item })
    }
    const mostCheckpoints = Math.min(limit, MOST_CHECKPOINTS)
    this.#urgent.take(mostCheckpoints).forEach(add)
    this.#dirty.take(mostCheckpoints - checkpoints.length).forEach(add)
    const most = checkpoints.length > 0 ? MOST_STARTS_BESIDE : MOST_STARTS
    const starts = this.#starts.splice(0, Math.min(most, Math.max(1, limit - checkpoints.length)))
    return flightOf(starts, checkpoints)
  }

  /**
   * How much one flight takes. Callers that were answered together come back together: given all at once to one flight, node
   * and store would take turns instead of working side by side.
   */
  #share(): number {
    const waiting = this.#waitingCount
    if (waiting <= WORTH_SHARING) return this.#options.batchLimit
    return Math.min(this.#options.batchLimit, Math.ceil(waiting / (this.#options.flights - this.#flying)))
  }

  async #fly(flight: Flight): Promise<void> {
    const leftAt = this.#options.clock.monotonic()
    this.#leftAt.push(leftAt)
    this.#kick()
    try {
      await this.#deliver(flight)
    } finally {
      this.#leftAt.splice(this.#leftAt.indexOf(leftAt), 1)
      this.#kick()
      this.#settleIdle()
    }
  }

  async #deliver(flight: Flight): Promise<void> {
    this.#itemCount += sizeOf(flight)
    const { metrics, clock } = this.#options
    const sentAt = metrics === undefined ? 0 : clock.monotonic()
    let result: CommitResult | undefined
    const no = this.#patience.begin(flight)
    try {
      result = await this.#send(flight, this.reserveFlushNo())
    } catch (error) {
      this.#patience.end(no)
      await this.#deliverParts(flight, error)
      return
    }
    this.#patience.end(no)
    if (result === undefined) return
    const { starts, checkpoints, at } = result
    metrics?.committed(sizeOf(flight), starts.length, clock.monotonic() - sentAt)
    this.#options.onCommit(at, result.woken)
    flight.starts.forEach((each, index) => each.answer({ verdict: starts[index]!, at }))
    flight.checkpoints.forEach((each, index) => each.source.settle(checkpoints[index]!, at))
  }

  /** Sends until the store has decided. Only a decision against the batch itself leaves this loop as an error. `undefined`: nothing is left of it. */
  async #send(flight: Flight, flushNo: number): Promise<CommitResult | undefined> {
    const { commits, clock, random } = this.#options
    for (let attempt = 0; sizeOf(flight) > 0; attempt += 1) {
      flight.isUnderWay = true
      try {
        const result = await commits.commit(this.#batchOf(flight, flushNo))
        this.#patience.answered()
        this.#trouble.over()
        return result
      } catch (error) {
        if (Fenced.is(error)) throw this.#fence(error)
        if (!isUndecided(error)) {
          this.#patience.answered()
          throw error
        }
        flight.isUnderWay = false
        flight.isUnclear ||= isUnclear(error)
        if (this.#closed) throw error
        this.#trouble.failed(error, { flushNo, attempt })
        if (this.#patience.isOver(flight)) this.#giveUp(flight, error)
        const pauseMs = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** attempt) * (0.5 + random.next() / 2)
        await new Promise<void>((resolve) => clock.schedule(pauseMs, resolve))
      }
    }
    return undefined
  }

  #batchOf({ starts, checkpoints }: Flight, flushNo: number): CommitBatch {
    return {
      nodeId: this.#options.nodeId,
      flushNo,
      starts: starts.map((each) => each.item),
      checkpoints: checkpoints.map((each) => each.item),
    }
  }

  /** Nobody is kept waiting for these starts any longer. What was never sent, or surely not written, never will be. */
  #giveUp(flight: Flight, cause: unknown): void {
    const error = unreachable(cause)
    const withdraw = (starts: readonly QueuedStart[]): readonly QueuedStart[] =>
      starts.filter((each) => {
        if (isPatient(each.item)) return true
        each.withdraw(error)
        return false
      })
    if (flight.isUnclear || flight.isUnderWay) {
      for (const each of flight.starts) if (!isPatient(each.item)) each.doubt(cause)
    } else flight.starts = withdraw(flight.starts)
    for (const each of withdraw(this.#starts.splice(0))) this.#starts.push(each)
    for (const part of this.#parts) part.starts = withdraw(part.starts)
  }

  /** A batch that the store cannot write is halved until the item at fault stands alone. */
  async #deliverParts(flight: Flight, error: unknown): Promise<void> {
    const { starts, checkpoints } = flight
    if (starts.length + checkpoints.length === 1 || Fenced.is(error) || this.#closed) {
      for (const each of starts) {
        if (!isUndecided(error) || isPatient(each.item)) each.fail(error)
        else if (flight.isUnclear) each.doubt(error)
        else each.withdraw(unreachable(error))
      }
      for (const each of checkpoints) each.source.fail(error)
      return
    }
    this.#options.logger.warn('batch refused, splitting it', {
      reason: errorMessage(error),
      items: starts.length + checkpoints.length,
    })
    const half = <T>(items: readonly T[]): [readonly T[], readonly T[]] => [
      items.slice(0, items.length >> 1),
      items.slice(items.length >> 1),
    ]
    const [startsA, startsB] = half(starts)
    const [checkpointsA, checkpointsB] = half(checkpoints)
    const parts: Flight[] =
      starts.length > 0 && checkpoints.length > 0
        ? [flightOf(starts, []), flightOf([], checkpoints)]
        : [flightOf(startsA, checkpointsA), flightOf(startsB, checkpointsB)]
    for (const part of parts) this.#parts.add(part)
    for (const part of parts) {
      this.#parts.delete(part)
      if (sizeOf(part) > 0) await this.#deliver(part)
    }
  }

  #fence(error: Error): Error {
    if (!this.#fenced) {
      this.#fenced = true
      this.#options.logger.error('this node was buried, dropping what it holds', { nodeId: this.#options.nodeId })
      this.#failUnsent(error)
      this.#dirty.clear()
      this.#urgent.clear()
      this.#options.onFenced()
    }
    return error
  }

  #settleIdle(): void {
    if (!this.#isIdle()) return
    for (const resolve of this.#idle.splice(0)) resolve()
  }
}

const flightOf = (starts: Flight['starts'], checkpoints: Flight['checkpoints']): Flight => ({
  ...{ starts, checkpoints, since: 0, isUnderWay: false, isUnclear: false },
})

const isUnclear = (error: unknown): boolean => errorCode(error) === 'COMMIT_UNKNOWN'

/** It says nothing against the batch. */
const isUndecided = (error: unknown): boolean => isUnclear(error) || isRetryable(error)

const sizeOf = ({ starts, checkpoints }: Flight): number => starts.length + checkpoints.length
