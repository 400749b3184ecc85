/**
 * Sends starts of one definition together: the first one leaves at once, the others gather while it is under way. Definitions do not wait for
 * one another. What the store says decides: a lost answer is resolved by sending the same starts again, and a batch that it cannot write is sent one by one.
 * Whoever waits for a store that is away is told so after a while, as by the pipeline that plain starts take.
 */
import { type Clock, errorCode, isRetryable, type Logger, sleep, TimedOut, Trouble } from '@lockstep/base'
import { Patience } from '../commit/patience.ts'
import { isPatient, SingleStart, unreachable } from '../commit/queued-start.ts'
import { Fenced } from '../store/errors.ts'
import type { ControlledStart, FlowStore, FlowVerdict } from './flow-store.ts'

export interface GatherStartsOptions {
  readonly store: Pick<FlowStore, 'start'>
  readonly clock: Clock
  readonly logger: Logger
  readonly nodeId: () => string
  /** A start that nobody waits for any more is decided: what it claimed is in nobody's hand. */
  readonly onLate?: (verdict: FlowVerdict) => void
}

interface Waiting {
  readonly start: ControlledStart
  /** Who asked: only that incarnation of the node may get the claim. */
  readonly nodeId: string
  readonly caller: SingleStart<FlowVerdict>
  /** The store has refused it together with others. */
  readonly isAlone: boolean
}

interface Batch {
  /** Fewer, when some were withdrawn. */
  waiting: readonly Waiting[]
  /** What waits behind it. */
  readonly line: Waiting[]
  since: number
  isUnderWay: boolean
  /** The answer to an attempt was lost: it may be written. */
  isUnclear: boolean
}

const MOST = 200
const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 1_000

export class GatherStarts {
  readonly #o: GatherStartsOptions
  /** By definition; one that has nothing under way has no entry. */
  readonly #lines = new Map<string, Waiting[]>()
  readonly #patience: Patience<Batch>
  readonly #trouble: Trouble
  #stopped = false

  constructor(options: GatherStartsOptions) {
    this.#o = options
    const { clock, logger } = options
    this.#patience = new Patience(clock, (batch) => {
      const afterMs = Math.round(clock.monotonic() - batch.since)
      giveUp(batch, new TimedOut({ what: 'the answer to starts', afterMs }))
    })
    this.#trouble = new Trouble(logger, 'starts not answered, sending them again', 'starts are answered again')
  }

  start(start: ControlledStart): Promise<FlowVerdict> {
    return new Promise((resolve, reject) => {
      const key = `${start.item.tenant}\n${start.item.definitionId}`
      const line = this.#lines.get(key)
      const caller = new SingleStart<FlowVerdict>(start.item, resolve, reject, (late) => this.#o.onLate?.(late))
      const waiting = { start, nodeId: this.#o.nodeId(), caller, isAlone: false }
      if (line !== undefined) line.push(waiting)
      else void this.#fly(key, [waiting])
    })
  }

  /** The node is about to go: nobody is kept waiting for a store that is away. */
  hurry(): void {
    for (const batch of this.#patience.hurry())
      if (!batch.isUnderWay) giveUp(batch, new TimedOut({ what: 'the store', afterMs: 0 }))
  }

  /** Resends end: what they would have settled stays unknown to this process, as after a crash. */
  stop(): void {
    this.#stopped = true
  }

  async #fly(key: string, line: Waiting[]): Promise<void> {
    this.#lines.set(key, line)
    while (line.length > 0) await this.#deliver(line.splice(0, line[0]!.isAlone ? 1 : MOST), line)
    this.#lines.delete(key)
  }

  async #deliver(waiting: readonly Waiting[], line: Waiting[]): Promise<void> {
    const batch: Batch = { waiting, line, since: 0, isUnderWay: false, isUnclear: false }
    const no = this.#patience.begin(batch)
    try {
      const verdicts = await this.#send(batch)
      this.#patience.end(no)
      batch.waiting.forEach(({ caller }, index) => caller.answer(verdicts[index]!))
    } catch (error) {
      this.#patience.end(no)
      const { waiting: left } = batch
      if (isUndecided(error, batch)) {
        giveUp(batch, error)
        for (const { caller } of left) if (isPatient(caller.item)) caller.fail(error)
      } else if (left.length === 1) left[0]!.caller.fail(error)
      // Back in the line, where they can be withdrawn as long as they are not sent.
      else line.unshift(...left.map((each) => ({ ...each, isAlone: true })))
    }
  }

  /** A resend by a later incarnation is as good: starts are known by their own ids. */
  async #send(batch: Batch): Promise<readonly FlowVerdict[]> {
    for (let pauseMs = FIRST_PAUSE_MS; batch.waiting.length > 0; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
      batch.isUnderWay = true
      try {
        const now = this.#o.nodeId()
        const starts = batch.waiting.map(({ start, nodeId }) => (nodeId === now ? start : unclaimed(start)))
        const verdicts = await this.#o.store.start(now, starts)
        this.#patience.answered()
        this.#trouble.over()
        return verdicts
      } catch (error) {
        batch.isUnderWay = false
        batch.isUnclear ||= isUnclear(error)
        if (!isUndecided(error, batch)) {
          this.#patience.answered()
          throw error
        }
        if (this.#stopped) throw error
        this.#trouble.failed(error)
        if (this.#patience.isOver(batch)) giveUp(batch, error)
        await sleep(this.#o.clock, pauseMs)
      }
    }
    return []
  }
}

/** Nobody is kept waiting any longer. What was never sent, or surely not written, never will be. */
function giveUp(batch: Batch, cause: unknown): void {
  const error = unreachable(cause)
  const withdraw = (waiting: readonly Waiting[]): readonly Waiting[] =>
    waiting.filter(({ caller }) => {
      if (isPatient(caller.item)) return true
      caller.withdraw(error)
      return false
    })
  if (batch.isUnclear || batch.isUnderWay) {
    for (const { caller } of batch.waiting) if (!isPatient(caller.item)) caller.doubt(cause)
  } else batch.waiting = withdraw(batch.waiting)
  batch.line.push(...withdraw(batch.line.splice(0)))
}

const isUnclear = (error: unknown): boolean => errorCode(error) === 'COMMIT_UNKNOWN'

/** It says nothing against the starts. A fence says nothing of an attempt before it: the next incarnation will hear what became of that. */
const isUndecided = (error: unknown, batch: Batch): boolean =>
  isUnclear(error) || isRetryable(error) || (batch.isUnclear && Fenced.is(error))

const unclaimed = (start: ControlledStart): ControlledStart => ({ ...start, item: { ...start.item, claimed: false } })
