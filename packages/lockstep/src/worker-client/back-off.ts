import { type Clock, type Random, sleep } from '@lockstep/base'

const FIRST_MS = 200
const LONGEST_MS = 15_000

/** Waits longer with every failure in a row, and never as long as the others who failed at the same moment. */
export class BackOff {
  readonly #clock: Clock
  readonly #random: Random
  #failures = 0

  constructor(clock: Clock, random: Random) {
    this.#clock = clock
    this.#random = random
  }

  succeeded(): void {
    this.#failures = 0
  }

  async failed(signal: AbortSignal): Promise<void> {
    const fullMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(this.#failures, 10))
    this.#failures += 1
    await sleep(this.#clock, fullMs * (0.5 + this.#random.next() / 2), signal).catch(() => undefined)
  }
}
