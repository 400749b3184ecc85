/**
 * Holds back what would change an instance in memory while the store decides about it: on a time-out that a resume may have
 * beaten, or on a transaction of the user's. What comes meanwhile waits, so that facts have one order in memory and in the journal.
 */
export class Freeze {
  #isOn = false
  #isClosed = false
  #waiting: (() => void)[] | undefined

  get isOn(): boolean {
    return this.#isOn
  }

  /** Whether `afterwards` would not run at once. */
  get holdsBack(): boolean {
    return this.#isOn || this.#isClosed
  }

  begin(): void {
    this.#isOn = true
  }

  /** Runs what has waited, in the order it came. */
  end(): void {
    this.#isOn = false
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting !== undefined) for (const run of waiting) this.afterwards(run)
  }

  /** Runs it now, or when the freeze is over; never once the instance is out of hand. */
  afterwards(run: () => void): void {
    if (this.#isClosed) return
    if (!this.#isOn) run()
    else if (this.#waiting === undefined) this.#waiting = [run]
    else this.#waiting.push(run)
  }

  /** The instance is out of hand: nothing that waits will run. */
  close(): void {
    this.#isClosed = true
    this.#waiting = undefined
  }
}
