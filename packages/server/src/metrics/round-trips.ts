/** How long the servers that a node leans on take to answer, and a warning when one of them is far away. */
import { type Clock, errorMessage, type Logger, type Timer, withTimeout } from '@lockstep/base'

export interface RoundTripTarget {
  readonly name: 'database' | 'redis' | 'broker'
  readonly ping: () => Promise<unknown>
}

/** Above these every step, lock or message pays for the way. */
const LIMITS_MS: Readonly<Record<RoundTripTarget['name'], number>> = { database: 10, redis: 5, broker: 10 }
const EVERY_MS = 15_000
/** Who takes longer does not answer. */
const LONGEST_MS = 5_000
/** One slow answer says nothing; a row of them does. */
const IN_A_ROW = 3

export class RoundTrips {
  /** Seconds. */
  readonly latest = new Map<string, number>()
  /** Those that did not answer when they were last asked. */
  readonly #silent = new Set<string>()
  readonly #slow = new Map<string, number>()
  readonly #targets: readonly RoundTripTarget[]
  readonly #clock: Clock
  readonly #logger: Logger
  #timer: Timer | undefined

  constructor(targets: readonly RoundTripTarget[], clock: Clock, logger: Logger) {
    this.#targets = targets
    this.#clock = clock
    this.#logger = logger
  }

  run(): void {
    this.#timer = this.#clock.schedule(EVERY_MS, () => {
      this.run()
      void this.measure()
    })
  }

  stop(): void {
    this.#timer?.cancel()
  }

  /** Every target; without seconds: not measured yet, or it did not answer. */
  list(): readonly { readonly name: string; readonly seconds: number | undefined; readonly silent: boolean }[] {
    const { latest } = this
    return this.#targets.map(({ name }) => ({ name, seconds: latest.get(name), silent: this.#silent.has(name) }))
  }

  async measure(): Promise<void> {
    await Promise.all(this.#targets.map((target) => this.#measure(target)))
  }

  async #measure({ name, ping }: RoundTripTarget): Promise<void> {
    const began = this.#clock.monotonic()
    try {
      await withTimeout(this.#clock, LONGEST_MS, 'a round trip', ping())
    } catch (error) {
      this.latest.delete(name)
      this.#silent.add(name)
      this.#logger.debug('round trip not measured', { target: name, reason: errorMessage(error) })
      return
    }
    const tookMs = this.#clock.monotonic() - began
    this.#silent.delete(name)
    this.latest.set(name, tookMs / 1_000)
    const slow = tookMs > LIMITS_MS[name] ? (this.#slow.get(name) ?? 0) + 1 : 0
    this.#slow.set(name, slow)
    if (slow === IN_A_ROW)
      this.#logger.warn('round trip is long', { target: name, tookMs: Math.round(tookMs), limitMs: LIMITS_MS[name] })
  }
}
