import type { Clock, Timer } from '@lockstep/base'

const A_DAY_MS = 86_400_000

/** Keeps the process alive while somebody waits: all other timers here let it end. */
export class StayAwake {
  readonly #clock: Clock
  #count = 0
  #timer: Timer | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  enter(): void {
    this.#count += 1
    if (this.#count === 1) this.#stay()
  }

  leave(): void {
    this.#count -= 1
    if (this.#count > 0) return
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #stay(): void {
    this.#timer = this.#clock.schedule(A_DAY_MS, () => this.#stay(), { keepAlive: true })
  }
}
