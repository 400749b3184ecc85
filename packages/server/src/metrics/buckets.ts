/** A histogram of a fixed size. Recording adds numbers and makes no garbage: it is called for every step. */
export class Buckets {
  /** Upper bounds, rising. */
  readonly bounds: readonly number[]
  readonly #counts: Float64Array
  #count = 0
  #sum = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.#counts = new Float64Array(bounds.length)
  }

  get count(): number {
    return this.#count
  }

  get sum(): number {
    return this.#sum
  }

  record(value: number): void {
    this.#count += 1
    this.#sum += value
    let at = 0
    while (at < this.bounds.length && value > this.bounds[at]!) at += 1
    if (at < this.bounds.length) this.#counts[at]! += 1
  }

  /** How many values lie at or below each bound. */
  cumulative(): number[] {
    let sum = 0
    return [...this.#counts].map((count) => {
      sum += count
      return sum
    })
  }
}

/** Seconds, from half a millisecond to a minute. */
export const SHORT = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
/** Seconds, from ten milliseconds to a month. */
export const LONG = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400, 604_800, 2_592_000]
export const SIZES = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000]
