import { InvalidOption, type LinkedAbort, linkedAbort } from '@lockstep/base'
import { LeaseLost } from '../errors.ts'
import type { HeldLease } from '../lease/held-lease.ts'
import type { Lease, LeaseTicket } from '../lease/lease.ts'

/** One lease in several hands at once. It is released when the last lets go. */
export class LeaseCount {
  readonly lease: HeldLease
  #hands = 0

  constructor(lease: HeldLease) {
    this.lease = lease
  }

  get held(): boolean {
    return this.#hands > 0
  }

  /** Throws `LEASE_LOST` when it is not certainly ours. */
  enter(): CountedLease {
    this.lease.assertHeld()
    this.#hands += 1
    return new CountedLease(this)
  }

  leave(): Promise<'released' | 'lost'> {
    this.#hands -= 1
    if (this.#hands === 0) return this.lease.release()
    return Promise.resolve(this.lease.lostBy === undefined ? 'released' : 'lost')
  }

  detach(): LeaseTicket {
    if (this.#hands > 1) {
      throw new InvalidOption({
        option: 'lease',
        rule: `held once to be detached: "${this.lease.name}" was entered again`,
      })
    }
    const ticket = this.lease.detach()
    this.#hands = 0
    return ticket
  }
}

/** A hand on a counted lease. */
export class CountedLease implements Lease {
  readonly ok = true
  readonly #count: LeaseCount
  #link: LinkedAbort | undefined
  #left: Promise<'released' | 'lost'> | undefined

  constructor(count: LeaseCount) {
    this.#count = count
  }

  get name(): string {
    return this.#count.lease.name
  }

  get fence(): bigint {
    return this.#count.lease.fence
  }

  get lostBy(): Error | undefined {
    return this.#count.lease.lostBy
  }

  /** Its own, because it must stay silent once this hand has let go. */
  get signal(): AbortSignal {
    this.#link ??= this.#left === undefined ? linkedAbort(this.#count.lease.signal) : linkedAbort()
    return this.#link.signal
  }

  get yieldSignal(): AbortSignal {
    return this.#count.lease.yieldSignal
  }

  remainingMs(): number {
    return this.#left === undefined ? this.#count.lease.remainingMs() : 0
  }

  assertHeld(): void {
    if (this.#left === undefined) return this.#count.lease.assertHeld()
    throw this.lostBy ?? new LeaseLost({ name: this.name, fence: this.fence, reason: 'released' })
  }

  async verify(): Promise<boolean> {
    return this.#left === undefined && (await this.#count.lease.verify())
  }

  release(): Promise<'released' | 'lost'> {
    if (this.#left !== undefined) return this.#left
    this.#link?.[Symbol.dispose]()
    this.#left = this.#count.leave()
    return this.#left
  }

  detach(): LeaseTicket {
    this.assertHeld()
    const ticket = this.#count.detach()
    this.#link?.[Symbol.dispose]()
    this.#left = Promise.resolve('released')
    return ticket
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#left !== undefined) return
    try {
      await this.release()
    } catch (error) {
      this.#count.lease.keeper.logReleaseFailure(this.name, error)
    }
  }
}
