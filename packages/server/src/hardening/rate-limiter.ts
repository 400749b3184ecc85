import type { Clock } from '@lockstep/base'

export interface RateLimit {
  /** Asks that may come at once. */
  readonly burst: number
  /** Over this time so many may come again. */
  readonly perMs: number
}

/** Strangers choose the keys: only so many are remembered. Who was forgotten begins anew. */
const MOST_KEYS = 10_000

interface Bucket {
  tokens: number
  at: number
}

/** A bucket per key, in this process. Each node counts for itself: a cluster of three lets three times as much through at most. */
export class RateLimiter {
  readonly #clock: Clock
  readonly #limit: RateLimit
  readonly #buckets = new Map<string, Bucket>()

  constructor(clock: Clock, limit: RateLimit) {
    this.#clock = clock
    this.#limit = limit
  }

  /** Milliseconds until the next one may come; 0: this one may, and counts when `take` says so. */
  ask(key: string, take = true): number {
    const { burst, perMs } = this.#limit
    const bucket = this.#bucket(key)
    if (bucket.tokens < 1) return Math.ceil(((1 - bucket.tokens) * perMs) / burst)
    if (take) bucket.tokens -= 1
    return 0
  }

  /** How many may come at once now, parts of one included. */
  left(key: string): number {
    return this.#bucket(key).tokens
  }

  get size(): number {
    return this.#buckets.size
  }

  #bucket(key: string): Bucket {
    const { burst, perMs } = this.#limit
    const now = this.#clock.monotonic()
    const known = this.#buckets.get(key)
    if (known !== undefined) {
      known.tokens = Math.min(burst, known.tokens + ((now - known.at) * burst) / perMs)
      known.at = now
      this.#buckets.delete(key) // to the end: the first is the one that was asked for longest ago
      this.#buckets.set(key, known)
      return known
    }
    if (this.#buckets.size >= MOST_KEYS) this.#buckets.delete(this.#buckets.keys().next().value!)
    const bucket = { tokens: burst, at: now }
    this.#buckets.set(key, bucket)
    return bucket
  }
}
