/**
 * The calls of one coordinator, gathered. A release that did not come through, and an acquire whose outcome is unknown, are
 * released again in the background until the store has answered or the lease has ended by itself: no ghost holds a lock.
 */
import type { Clock, Logger, Timer } from '@lockstep/base'
import { errorMessage } from '@lockstep/base'
import { type Asking, Gather } from './gather.ts'
import type {
  Answers,
  LeaseAnswer,
  LeaseKey,
  LeaseProvider,
  LeaseRenewal,
  LeaseRequest,
  TogetherAnswer,
} from './lease-provider.ts'
import { Traffic } from './traffic.ts'

const FIRST_RETRY_MS = 100
const LONGEST_RETRY_MS = 2_000
/** A call that failed here may still reach the store after the release that was to undo it: look once more. */
const SECOND_LOOK_MS = 1_000

export class LeaseCalls {
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #acquire: Gather<LeaseRequest, LeaseAnswer>
  readonly #release: Gather<LeaseKey, 'released' | 'gone'>
  readonly #renew: Gather<LeaseRenewal, 'renewed' | 'lost'>
  readonly #retries = new Set<Timer>()
  readonly #leases: LeaseProvider
  readonly #together = new Set<Promise<unknown>>()
  #gate: Promise<void> | undefined
  #closed = false

  constructor(clock: Clock, now: () => number, logger: Logger, leases: LeaseProvider) {
    this.#clock = clock
    this.#logger = logger
    this.#leases = leases
    const traffic = new Traffic(clock)
    this.#acquire = new Gather(clock, now, (requests) => leases.acquire(requests), traffic)
    this.#release = new Gather(clock, now, (keys) => leases.release(keys), traffic)
    this.#renew = new Gather(clock, now, (renewals) => leases.renew(renewals))
  }

  /** Nothing is asked for before `ready` has settled. */
  holdUntil(ready: Promise<void>): void {
    this.#gate = ready
    void ready.then(() => {
      this.#gate = undefined
    })
  }

  /** What `holdUntil` waits for; absent: it waits for nothing. */
  get gate(): Promise<void> | undefined {
    return this.#gate
  }

  /** Not gathered: it is all or none already. To be called when the `gate` is open. */
  async acquireTogether(requests: readonly LeaseRequest[]): Promise<Answers<TogetherAnswer>> {
    const call = this.#leases.acquireTogether(requests)
    this.#together.add(call)
    try {
      return await call
    } finally {
      this.#together.delete(call)
    }
  }

  acquire(asking: Asking<LeaseRequest, LeaseAnswer>): void {
    if (this.#gate === undefined) this.#acquire.ask(asking)
    else void this.#gate.then(() => this.#acquire.ask(asking))
  }

  renew(asking: Asking<LeaseRenewal, 'renewed' | 'lost'>): void {
    this.#renew.ask(asking)
  }

  /** Rejects when the store could not be asked; it goes on trying then, for `lifeMs`. */
  release(key: LeaseKey, lifeMs: number): Promise<'released' | 'gone'> {
    return new Promise((resolve, reject) => {
      this.#release.ask({
        request: key,
        answered: resolve,
        failed: (error) => {
          this.#again(key, this.#clock.monotonic() + lifeMs, FIRST_RETRY_MS)
          reject(error)
        },
      })
    })
  }

  /** Ends whatever there may be of a token that nobody here has any more. */
  abandon({ name, token, kind }: LeaseKey, lifeMs: number, unknownOutcome = false): void {
    const key = { name, token, kind }
    const until = this.#clock.monotonic() + lifeMs
    this.#try(key, until, FIRST_RETRY_MS)
    if (unknownOutcome && lifeMs > SECOND_LOOK_MS)
      this.#later(SECOND_LOOK_MS, () => this.#try(key, until, FIRST_RETRY_MS))
  }

  /** Sends nothing by itself any more; resolves when what was sent has been answered. */
  async close(): Promise<void> {
    this.#closed = true
    for (const timer of this.#retries) timer.cancel()
    this.#retries.clear()
    await this.#gate
    await Promise.allSettled([this.#acquire.idle(), ...this.#together])
    await Promise.all([this.#release.idle(), this.#renew.idle()])
  }

  #try(key: LeaseKey, until: number, pauseMs: number): void {
    this.#release.ask({
      request: key,
      answered: () => {},
      failed: (error) => {
        this.#logger.debug('release will be tried again', { name: key.name, error: errorMessage(error) })
        this.#again(key, until, pauseMs)
      },
    })
  }

  #again(key: LeaseKey, until: number, pauseMs: number): void {
    if (this.#clock.monotonic() + pauseMs > until) return
    this.#later(pauseMs, () => this.#try(key, until, Math.min(pauseMs * 2, LONGEST_RETRY_MS)))
  }

  #later(delayMs: number, run: () => void): void {
    if (this.#closed) return
    const timer = this.#clock.schedule(delayMs, () => {
      this.#retries.delete(timer)
      run()
    })
    this.#retries.add(timer)
  }
}
