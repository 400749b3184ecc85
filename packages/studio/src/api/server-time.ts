import { hostNow } from '../browser/time.ts'

/**
 * The server's clock, told by the Date header of its answers. That header has whole seconds, so one answer says only that the
 * server's time lies within a second; every further answer narrows the range. The middle of it is the guess.
 */
export class ServerTime {
  #low = Number.NEGATIVE_INFINITY
  #high = Number.POSITIVE_INFINITY

  /** What to add to the browser's clock. */
  get offsetMs(): number {
    if (!Number.isFinite(this.#low)) return 0
    const middle = (this.#low + this.#high) / 2
    return Math.abs(middle) < 1_000 ? 0 : middle
  }

  /** `sentAt` and `receivedAt` by the browser's clock. */
  learn(dateHeader: string | null, sentAt: number, receivedAt: number): void {
    const second = dateHeader === null ? Number.NaN : Date.parse(dateHeader)
    if (Number.isNaN(second)) return
    // It was written after the request left and before the answer came.
    const [low, high] = [second - receivedAt, second + 1_000 - sentAt]
    if (high < this.#low || low > this.#high) {
      ;[this.#low, this.#high] = [low, high] // One of the clocks was set.
      return
    }
    this.#low = Math.max(this.#low, low)
    this.#high = Math.min(this.#high, high)
  }
}

export const serverTime = new ServerTime()

/** Now, by the server's clock. Ages and countdowns are against this. */
export const serverNow = (): number => hostNow() + serverTime.offsetMs
