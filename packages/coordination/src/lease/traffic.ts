import type { Clock } from '@lockstep/base'

/** Fewer than this are not worth a second call, or a turn of their own. */
const CROWD = 48

/**
 * What the gathers of one coordinator have under way together. Whoever gets a lock releases it soon after: a crowd goes from one
 * gather to the other and back. Split once into halves, and kept apart, the store works on one half while this process works on the other.
 */
export class Traffic {
  readonly #clock: Clock
  #calls = 0
  #isServing = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get calls(): number {
    return this.#calls
  }

  /** Calls that so many requests should leave in. */
  parts(count: number): number {
    return count < CROWD || this.#calls > 0 ? 1 : 2
  }

  begin(): void {
    this.#calls += 1
  }

  /**
   * A call was answered for so many: `handOut` is run, at once unless another crowd was served in this turn of the event loop. Two whose answers
   * came together would leave together again, and wait for the store together.
   */
  end(count: number, handOut: () => void): void {
    const run = (): void => {
      this.#calls -= 1
      handOut()
    }
    if (2 * count < CROWD) return run()
    // Two turns: what the first crowd asks for is sent at the end of the next one.
    if (this.#isServing) return this.#clock.soon(() => this.#clock.soon(run))
    this.#isServing = true
    this.#clock.soon(() => {
      this.#isServing = false
    })
    run()
  }
}
