import { type Clock, type Deferred, deferred, type Timer } from '@lockstep/base'

/** Operations that have begun and not yet answered, so that a server that stops can let them. */
export class InFlight {
  readonly #clock: Clock
  #count = 0
  #none: Deferred<void> | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  begin(): void {
    this.#count += 1
  }

  end(): void {
    this.#count -= 1
    if (this.#count === 0) this.#none?.resolve()
  }

  /** Settles when none is left, or `limitMs` is over, and in any case after what was answered last went to its socket. */
  async settled(limitMs: number): Promise<void> {
    this.#none = deferred()
    if (this.#count === 0) this.#none.resolve()
    let timer: Timer | undefined
    const late = new Promise<void>((resolve) => {
      timer = this.#clock.schedule(limitMs, resolve, { keepAlive: true })
    })
    await Promise.race([this.#none.promise, late])
    timer?.cancel()
    await new Promise<void>((resolve) => void this.#clock.schedule(0, resolve, { keepAlive: true }))
  }
}
