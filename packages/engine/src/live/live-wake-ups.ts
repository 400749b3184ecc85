/**
 * Who follows says so now and then; while somebody does, the others tell when they have written something. Nobody follows: nothing is sent.
 * What gets lost costs a moment: followers look by themselves too.
 */
import type { Clock, Timer } from '@lockstep/base'
import type { WakeBus } from '../worker/wake-bus.ts'

export interface LiveWakeUpsOptions {
  readonly bus: WakeBus
  readonly id: string
  readonly clock: Clock
  readonly onWake: () => void
}

const ASK = 'live:ask:'
const WROTE = 'live:wrote'
const ASK_EVERY_MS = 10_000
/** Longer than two askings: one may be lost. */
const ASKED_FOR_MS = 25_000
/** What one node tells the others, at most. */
const TELL_EVERY_MS = 100

export class LiveWakeUps {
  readonly #o: LiveWakeUpsOptions
  readonly #unsubscribe: () => void
  #listening = false
  #askTimer: Timer | undefined
  #askedUntil = Number.NEGATIVE_INFINITY
  #tellTimer: Timer | undefined

  constructor(options: LiveWakeUpsOptions) {
    this.#o = options
    this.#unsubscribe = options.bus.subscribe((topic) => this.#hear(topic))
  }

  listen(): void {
    if (this.#listening) return
    this.#listening = true
    this.#ask()
  }

  unlisten(): void {
    this.#listening = false
    this.#askTimer?.cancel()
  }

  committed(): void {
    if (this.#listening) this.#o.onWake()
    if (this.#tellTimer !== undefined || this.#askedUntil < this.#o.clock.monotonic()) return
    this.#tellTimer = this.#o.clock.schedule(TELL_EVERY_MS, () => {
      this.#tellTimer = undefined
      this.#o.bus.publish(WROTE)
    })
  }

  close(): void {
    this.unlisten()
    this.#tellTimer?.cancel()
    this.#unsubscribe()
  }

  #ask(): void {
    this.#o.bus.publish(ASK + this.#o.id)
    this.#askTimer = this.#o.clock.schedule(ASK_EVERY_MS, () => this.#ask())
  }

  #hear(topic: string): void {
    if (topic.startsWith(ASK)) {
      if (!topic.endsWith(this.#o.id)) this.#askedUntil = this.#o.clock.monotonic() + ASKED_FOR_MS
    } else if (this.#listening) this.#o.onWake()
  }
}
