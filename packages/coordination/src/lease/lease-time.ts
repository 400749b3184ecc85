import type { Clock } from '@lockstep/base'

/** Wall and monotonic time that drift apart by more than this between two looks: the machine slept. */
const SLEPT_MS = 200

/**
 * The local time by which leases are judged: the monotonic clock, plus what the machine slept. The monotonic clock stands
 * still while a machine is suspended, and the store's does not; so every look compares its advance with that of the wall
 * clock. A wall clock that was set forward looks the same and costs at worst a lease that was still good.
 */
export class LeaseTime {
  readonly #clock: Clock
  #wallAt: number
  #monotonicAt: number
  #sleptMs = 0
  /** Called when a sleep was noticed, after the time has moved. */
  onSleep: () => void = () => {}

  constructor(clock: Clock) {
    this.#clock = clock
    this.#wallAt = clock.now()
    this.#monotonicAt = clock.monotonic()
  }

  now(): number {
    const wall = this.#clock.now()
    const monotonic = this.#clock.monotonic()
    const sleptMs = wall - this.#wallAt - (monotonic - this.#monotonicAt)
    this.#wallAt = wall
    this.#monotonicAt = monotonic
    if (sleptMs > SLEPT_MS) {
      this.#sleptMs += sleptMs
      this.onSleep()
    }
    return monotonic + this.#sleptMs
  }
}
