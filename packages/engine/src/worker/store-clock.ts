import type { Clock } from '@lockstep/base'

/**
 * The store's clock as this node knows it: the last moment it reported, plus what has passed here since. The report was
 * made before it arrived, so this is never ahead of the store: a timer may fire a reply's travel late, never early.
 */
export class StoreClock {
  readonly #clock: Clock
  #reported = 0
  #heardAt = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#heardAt = clock.monotonic()
  }

  hear(at: number): void {
    if (this.#reported !== 0 && at <= this.now()) return
    this.#reported = at
    this.#heardAt = this.#clock.monotonic()
  }

  /** Epoch ms. 0 and a little before the first report. */
  now(): number {
    return this.#reported + (this.#clock.monotonic() - this.#heardAt)
  }
}
