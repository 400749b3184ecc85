/**
 * How long callers are kept waiting for a store that says nothing. One clock reading for each batch and each answer, and one timer for all of
 * them: an attempt that fails asks whether it was long enough, and the timer finds those that do not even fail.
 */
import { type Clock, PassingMap, type Timer } from '@lockstep/base'

/** A batch that is under way, or rests between two attempts. */
export interface Awaited {
  /** When it was sent first, monotonic. Written here. */
  since: number
}

const PATIENCE_MS = 10_000
/** An attempt that fails does so in this time: then it is known what became of it. */
const ATTEMPT_MS = 3_000

export class Patience<Batch extends Awaited> {
  readonly #clock: Clock
  readonly #onOver: (batch: Batch) => void
  readonly #awaited = new PassingMap<number, Batch>()
  #lastNo = 0
  #limitMs = PATIENCE_MS
  #answeredAt = Number.NEGATIVE_INFINITY
  #timer: Timer | undefined

  /** `onOver`: nothing was heard of the batch, not even a failure, nor of any other. */
  constructor(clock: Clock, onOver: (batch: Batch) => void) {
    this.#clock = clock
    this.#onOver = onOver
  }

  /** Answers the number by which it ends. */
  begin(batch: Batch): number {
    batch.since = this.#clock.monotonic()
    this.#lastNo += 1
    this.#awaited.set(this.#lastNo, batch)
    if (this.#timer === undefined) this.#arm(this.#limitMs + ATTEMPT_MS)
    return this.#lastNo
  }

  end(no: number): void {
    this.#awaited.delete(no)
  }

  /** The store answers, whichever batch. */
  answered(): void {
    this.#answeredAt = this.#clock.monotonic()
  }

  /** Whether the store has been silent for longer than the callers of a batch wait. */
  isOver(batch: Batch): boolean {
    return this.#silentMs(batch) >= this.#limitMs
  }

  /** The node is about to go: nobody waits for a store that is away. Answers the batches that are awaited now. */
  hurry(): Iterable<Batch> {
    this.#limitMs = 0
    this.#timer?.cancel()
    this.#timer = undefined
    if (this.#awaited.size > 0) this.#arm(ATTEMPT_MS)
    return [...this.#awaited.values()]
  }

  #silentMs({ since }: Batch): number {
    return this.#clock.monotonic() - Math.max(since, this.#answeredAt)
  }

  #arm(delayMs: number): void {
    this.#timer = this.#clock.schedule(delayMs, () => {
      this.#timer = undefined
      let nextMs = Number.POSITIVE_INFINITY
      const limitMs = this.#limitMs + ATTEMPT_MS
      for (const batch of this.#awaited.values()) {
        const leftMs = limitMs - this.#silentMs(batch)
        if (leftMs <= 0) this.#onOver(batch)
        nextMs = Math.min(nextMs, leftMs <= 0 ? limitMs : leftMs)
      }
      if (nextMs < Number.POSITIVE_INFINITY) this.#arm(nextMs)
    })
  }
}
