/**
 * Sends starts of one definition together: the first one leaves at once, the others gather while it is under way. Definitions do not wait for
 * one another. What the store says decides: a lost answer is resolved by sending the same starts again, and a batch that it cannot write is sent one by one.
 */
import { type Clock, errorCode, errorMessage, isRetryable, type Logger, sleep } from '@lockstep/base'
import type { ControlledStart, FlowStore, FlowVerdict } from './flow-store.ts'

export interface GatherStartsOptions {
  readonly store: Pick<FlowStore, 'start'>
  readonly clock: Clock
  readonly logger: Logger
  readonly nodeId: () => string
}

interface Waiting {
  readonly start: ControlledStart
  /** Who asked: only that incarnation of the node may get the claim. */
  readonly nodeId: string
  resolve(verdict: FlowVerdict): void
  reject(error: unknown): void
}

const MOST = 200
const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 1_000

export class GatherStarts {
  readonly #o: GatherStartsOptions
  /** By definition; one that has nothing under way has no entry. */
  readonly #lines = new Map<string, Waiting[]>()
  #stopped = false

  constructor(options: GatherStartsOptions) {
    this.#o = options
  }

  start(start: ControlledStart): Promise<FlowVerdict> {
    return new Promise((resolve, reject) => {
      const key = `${start.item.tenant}\n${start.item.definitionId}`
      const line = this.#lines.get(key)
      const waiting = { start, nodeId: this.#o.nodeId(), resolve, reject }
      if (line !== undefined) line.push(waiting)
      else void this.#fly(key, [waiting])
    })
  }

  /** Resends end: what they would have settled stays unknown to this process, as after a crash. */
  stop(): void {
    this.#stopped = true
  }

  async #fly(key: string, line: Waiting[]): Promise<void> {
    this.#lines.set(key, line)
    while (line.length > 0) await this.#deliver(line.splice(0, MOST))
    this.#lines.delete(key)
  }

  async #deliver(batch: readonly Waiting[]): Promise<void> {
    try {
      const verdicts = await this.#send(batch)
      batch.forEach((each, index) => each.resolve(verdicts[index]!))
    } catch (error) {
      if (batch.length === 1) batch[0]!.reject(error)
      else for (const each of batch) await this.#deliver([each])
    }
  }

  /** A resend by a later incarnation is as good: starts are known by their own ids. */
  async #send(batch: readonly Waiting[]): Promise<readonly FlowVerdict[]> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
      try {
        const now = this.#o.nodeId()
        const starts = batch.map(({ start, nodeId }) => (nodeId === now ? start : unclaimed(start)))
        return await this.#o.store.start(now, starts)
      } catch (error) {
        if ((errorCode(error) !== 'COMMIT_UNKNOWN' && !isRetryable(error)) || this.#stopped) throw error
        this.#o.logger.warn('starts not answered, sending them again', { reason: errorMessage(error) })
        await sleep(this.#o.clock, pauseMs)
      }
    }
  }
}

const unclaimed = (start: ControlledStart): ControlledStart => ({ ...start, item: { ...start.item, claimed: false } })
