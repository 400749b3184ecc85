import { deferred } from '@lockstep/base'
import { LeaseLost } from '../errors.ts'
import type { Lease } from '../lease/lease.ts'
import type { Term, TermEndReason } from './election.ts'
import { TermEnded } from './errors.ts'

/** A term under way. It ends once, for the first reason that comes. */
export class ActiveTerm implements Term {
  readonly name: string
  readonly #lease: Lease
  readonly #abort = new AbortController()
  readonly #ended = deferred<TermEndReason>()
  readonly #vacated = deferred<void>()
  readonly #surrendered = deferred<void>()
  /** Called while it ends, after `signal` has aborted and before anybody who waited for it goes on. */
  onEnd: ((reason: TermEndReason) => void) | undefined
  readonly #onLoss = (): void => this.end(lossOf(this.#lease.signal.reason), this.#lease.signal.reason)

  constructor(name: string, lease: Lease) {
    this.name = name
    this.#lease = lease
    if (lease.signal.aborted) this.#onLoss()
    else lease.signal.addEventListener('abort', this.#onLoss, { once: true })
  }

  get term(): bigint {
    return this.#lease.fence
  }
  get fence(): bigint {
    return this.#lease.fence
  }
  get signal(): AbortSignal {
    return this.#abort.signal
  }
  get yieldSignal(): AbortSignal {
    return this.#lease.yieldSignal
  }
  /** Resolves with the reason when the term has ended. */
  get ended(): Promise<TermEndReason> {
    return this.#ended.promise
  }

  remainingMs(): number {
    return this.signal.aborted ? 0 : this.#lease.remainingMs()
  }

  assertHeld(): void {
    if (this.signal.aborted) throw this.signal.reason
    this.#lease.assertHeld()
  }

  async verify(): Promise<boolean> {
    return !this.signal.aborted && (await this.#lease.verify()) && !this.signal.aborted
  }

  end(reason: TermEndReason, cause?: unknown): void {
    if (this.#abort.signal.aborted) return
    this.#lease.signal.removeEventListener('abort', this.#onLoss)
    const context = cause === undefined ? {} : { cause }
    this.#abort.abort(new TermEnded({ election: this.name, term: this.term, reason }, context))
    this.onEnd?.(reason)
    this.#ended.resolve(reason)
  }

  /** Settles when the work itself gives it up: nobody needs to wait for the work then. */
  get surrendered(): Promise<void> {
    return this.#surrendered.promise
  }
  /** Resolves when the office is free (see `vacate`). */
  get vacated(): Promise<void> {
    return this.#vacated.promise
  }

  resign(): Promise<void> {
    this.#surrendered.resolve()
    this.end('resigned')
    return this.vacated
  }

  /** Gives the lease back. An unreachable store gives the office up by itself when the lease has run out. */
  async vacate(): Promise<void> {
    try {
      await this.#lease.release()
    } finally {
      this.#vacated.resolve()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.resign()
  }
}

const lossOf = (reason: unknown): TermEndReason => (LeaseLost.is(reason) ? reason.details.reason : 'expired')
