const HALF_MS = 30_000

/** The mean of the last half to whole minute, in four numbers. */
export class RecentMean {
  #since = Number.NEGATIVE_INFINITY
  #sum = 0
  #count = 0
  #sumBefore = 0
  #countBefore = 0

  /** Answers the mean with `value` in it. */
  add(value: number, monotonicMs: number): number {
    const age = monotonicMs - this.#since
    if (age >= HALF_MS) {
      const adjacent = age < 2 * HALF_MS
      this.#sumBefore = adjacent ? this.#sum : 0
      this.#countBefore = adjacent ? this.#count : 0
      this.#sum = 0
      this.#count = 0
      this.#since = monotonicMs
    }
    this.#sum += value
    this.#count += 1
    return (this.#sum + this.#sumBefore) / (this.#count + this.#countBefore)
  }
}
