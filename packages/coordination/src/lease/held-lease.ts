import { LazyAbort } from '@lockstep/base'
import { LeaseLost } from '../errors.ts'
import type { Grant, GrantHolder } from './grant.ts'
import type { Lease, LeaseTicket } from './lease.ts'
import { isShareOf } from './ticket.ts'

/** What a held lease asks of its coordinator. */
export interface LeaseKeeper {
  /** By `LeaseTime`. Loses first what cannot be trusted at that moment. */
  judge(grant: Grant): number
  release(lease: HeldLease): Promise<'released' | 'lost'>
  verify(grant: Grant): Promise<boolean>
  detach(lease: HeldLease): void
  logReleaseFailure(name: string, error: unknown): void
}

/** A lease in the hands of one caller. */
export class HeldLease implements Lease, GrantHolder {
  readonly ok = true
  readonly grant: Grant
  readonly keeper: LeaseKeeper
  /** Of the asking that got it. */
  readonly number: number
  readonly since: number
  /** Which of the grant's fences is its own. */
  readonly #index: number
  #abort: LazyAbort | undefined
  #yield: LazyAbort | undefined
  #ending: Promise<'released' | 'lost'> | undefined
  #ended = false
  #lost: Error | undefined
  /** The signal has to have fired, also for whoever asks for it only now. */
  #wasTold = false

  constructor(keeper: LeaseKeeper, grant: Grant, number: number, since: number) {
    this.keeper = keeper
    this.grant = grant
    this.number = number
    this.since = since
    this.#index = grant.passedCount
    grant.holder = this
  }

  get name(): string {
    return this.grant.key.name
  }

  get fence(): bigint {
    return this.grant.fence + BigInt(this.#index)
  }

  get signal(): AbortSignal {
    this.#abort ??= new LazyAbort()
    if (this.#wasTold) this.#abort.abort(this.#lost)
    return this.#abort.signal
  }

  get yieldSignal(): AbortSignal {
    this.#yield ??= new LazyAbort()
    return this.#yield.signal
  }

  /** Why it is not held any more, when it was lost. */
  get lostBy(): Error | undefined {
    return this.#lost
  }

  remainingMs(): number {
    if (this.#ended) return 0
    const now = this.keeper.judge(this.grant)
    return this.grant.state === 'held' ? Math.max(0, this.grant.validUntil - now) : 0
  }

  assertHeld(): void {
    if (this.remainingMs() > 0) return
    throw this.#lost ?? new LeaseLost({ name: this.name, fence: this.fence, reason: 'released' })
  }

  async verify(): Promise<boolean> {
    if (this.remainingMs() === 0) return false
    return this.keeper.verify(this.grant)
  }

  release(): Promise<'released' | 'lost'> {
    if (this.#ending !== undefined) return this.#ending
    this.keeper.judge(this.grant)
    if (this.#lost !== undefined) {
      this.#ending = Promise.resolve('lost')
    } else if (this.#ended) {
      this.#ending = Promise.resolve('released')
    } else {
      this.#ended = true
      this.#ending = this.keeper.release(this)
    }
    return this.#ending
  }

  detach(): LeaseTicket {
    this.assertHeld()
    this.#ended = true
    this.keeper.detach(this)
    const { key, ttlMs, share } = this.grant
    return { ...key, fence: String(this.fence), ttlMs, ...(isShareOf(key.kind, share) && { share }) }
  }

  onLost(error: Error): void {
    if (this.#ended) return
    this.#ended = true
    this.#lost = error
    this.#wasTold = true
    this.#abort?.abort(error)
  }

  /** The store had nothing left of it to release: it was lost before, unnoticed. Too late for the signal. */
  onGone(error: Error): void {
    this.#lost ??= error
  }

  onYield(reason: string): void {
    this.#yield ??= new LazyAbort()
    this.#yield.abort(reason)
  }

  /** Ends it on the way out of a block: what goes wrong then is logged, because it must not hide what the block threw. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.release()
    } catch (error) {
      this.keeper.logReleaseFailure(this.name, error)
    }
  }
}
