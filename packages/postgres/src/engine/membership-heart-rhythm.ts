export interface HeartRhythmOptions {
  readonly heartbeatMs: number
  readonly ttlMs: number
  /** Monotonic. */
  readonly now: () => number
}

/**
 * Whether the next beat may be sent. The main loop proves that it turns by counting; when it has not for nearly the life of the node, beats
 * would only keep others from taking over work that nobody does. The same holds when this thread itself did not get to run for so
 * long: the process was suspended, and what it believes is as old as that, until the main loop has turned again.
 */
export class HeartRhythm {
  readonly #o: HeartRhythmOptions
  readonly #mostMs: number
  #pulse: number | undefined
  #provenAt: number
  #lastAt: number

  constructor(options: HeartRhythmOptions) {
    this.#o = options
    this.#mostMs = options.ttlMs - options.heartbeatMs
    this.#provenAt = options.now()
    this.#lastAt = this.#provenAt
  }

  mayBeat(pulse: number): boolean {
    const now = this.#o.now()
    const wasSuspended = now - this.#lastAt > this.#mostMs
    this.#lastAt = now
    if (wasSuspended) {
      this.#provenAt = Number.NEGATIVE_INFINITY
      this.#pulse = pulse
      return false
    }
    if (pulse !== this.#pulse) {
      this.#pulse = pulse
      this.#provenAt = now
    }
    return now - this.#provenAt <= this.#mostMs
  }
}
