import { type Clock, sleep } from '@lockstep/base'

/** A suspect that runs this long without harm does not hold up the next one. */
const LONGEST_PROBATION_MS = 5_000

interface Suspect {
  /** Settles when it has come past the point where its last owner died, or is out of hand. */
  readonly proven: Promise<void>
}

/** Instances whose last owner died are run one at a time: whoever brings this node down is then alone under suspicion. */
export class Probation {
  readonly #clock: Clock
  #suspects: Suspect[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Settles when it is this one's turn. */
  async enter(suspect: Suspect): Promise<void> {
    const before = this.#suspects.at(-1)
    this.#suspects.push(suspect)
    if (before !== undefined) await Promise.race([before.proven, sleep(this.#clock, LONGEST_PROBATION_MS)])
  }

  leave(suspect: Suspect): void {
    if (this.#suspects.length > 0) this.#suspects = this.#suspects.filter((each) => each !== suspect)
  }
}
