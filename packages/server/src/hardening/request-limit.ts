/**
 * How many requests one caller may send. Known callers are counted by who they are, strangers by where they come from; each node counts for
 * itself. Headers as in the draft of the IETF (RateLimit-Policy, RateLimit) say what is left, so that a good client never meets the limit.
 */
import type { Clock } from '@lockstep/base'
import type { FastifyReply } from 'fastify'
import { RateLimited } from '../auth/errors.ts'
import { type RateLimit, RateLimiter } from './rate-limiter.ts'

export class RequestLimit {
  readonly #limiter: RateLimiter
  readonly #limit: RateLimit
  readonly #policy: string

  constructor(clock: Clock, limit: RateLimit) {
    this.#limiter = new RateLimiter(clock, limit)
    this.#limit = limit
    this.#policy = `"requests";q=${limit.burst};w=${seconds(limit.perMs)}`
  }

  /** Callers that are remembered. */
  get size(): number {
    return this.#limiter.size
  }

  /** Counts a request of `caller`. Throws `RATE_LIMITED` when there were too many. */
  take(caller: string, reply: FastifyReply): void {
    const waitMs = this.#limiter.ask(caller)
    const left = this.#limiter.left(caller)
    const untilFullMs = ((this.#limit.burst - left) * this.#limit.perMs) / this.#limit.burst
    reply.header('ratelimit-policy', this.#policy)
    reply.header('ratelimit', `"requests";r=${Math.floor(left)};t=${seconds(waitMs > 0 ? waitMs : untilFullMs)}`)
    if (waitMs > 0) throw new RateLimited({ what: 'requests', retryAfterMs: waitMs })
  }
}

const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1_000))
