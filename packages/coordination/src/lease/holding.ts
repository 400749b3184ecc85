/**
 * What a coordinator holds. A lease stands in the renewal table from before its caller knows of it until the first moment
 * of its release, so there is no time in which it is held and nobody looks after it, nor one in which it is renewed although
 * it was given back.
 */
import { type Clock, errorMessage, type Logger, type Random } from '@lockstep/base'
import { LeaseLost } from '../errors.ts'
import type { LockRegistryProvider } from '../monitor/lock-registry-provider.ts'
import { Grant, type GrantFacts } from './grant.ts'
import { HeldLease, type LeaseKeeper } from './held-lease.ts'
import type { LeaseTicket, LostReason } from './lease.ts'
import type { LeaseCalls } from './lease-calls.ts'
import type { LeaseEvents } from './lease-events.ts'
import type { LeaseKey, LeaseNotice, Share } from './lease-provider.ts'
import type { LeaseTime } from './lease-time.ts'
import { RenewalTable, type RenewalWatch } from './renewal-table.ts'

export interface HoldingParts {
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly events: LeaseEvents
  readonly time: LeaseTime
  readonly calls: LeaseCalls
  readonly registry: LockRegistryProvider
  /** Where messages to this coordinator go. */
  readonly address: string
}

export class Holding implements LeaseKeeper, RenewalWatch {
  readonly #parts: HoldingParts
  readonly #table: RenewalTable

  constructor(parts: HoldingParts) {
    this.#parts = parts
    this.#table = new RenewalTable(parts.clock, parts.random, parts.time, parts.calls, this)
  }

  /** Holds what the store granted: it lives `lifeMs` from the local moment `sentAt`. */
  start(facts: GrantFacts, sentAt: number, lifeMs: number): Grant {
    const grant = new Grant(facts)
    this.#table.start(grant, sentAt, lifeMs)
    return grant
  }

  /** Puts it into the hands of a caller. */
  handOut(grant: Grant, attempt: number): HeldLease {
    return new HeldLease(this, grant, attempt, this.#parts.clock.monotonic())
  }

  judge(grant: Grant): number {
    const now = this.#parts.time.now()
    this.#table.judge(grant, now)
    return now
  }

  async release(lease: HeldLease): Promise<'released' | 'lost'> {
    const { grant } = lease
    const endedAt = this.#parts.events.watched ? this.#parts.clock.monotonic() : 0
    if (grant.queue?.passOn(grant)) {
      this.#reportEnd(lease, endedAt)
      return 'released'
    }
    // Sent before those who wait here ask for it: then they are answered, and need no message.
    const answer = this.#parts.calls.release(grant.key, grant.ttlMs)
    this.#end(grant, 'released')
    if ((await answer) === 'released') {
      this.#reportEnd(lease, endedAt)
      return 'released'
    }
    lease.onGone(new LeaseLost({ name: lease.name, fence: lease.fence, reason: 'taken' }))
    this.#reportEnd(lease, endedAt, 'taken')
    return 'lost'
  }

  async verify(grant: Grant): Promise<boolean> {
    if (grant.renews) return this.#table.renew(grant)
    // One that must end by itself may not be renewed to find out.
    const { name, token } = grant.key
    const state = await this.#parts.registry.read(name)
    if (state?.holders.some((each) => each.token === token)) return grant.state === 'held'
    this.#table.lose(grant, 'taken')
    return false
  }

  detach(lease: HeldLease): void {
    this.#end(lease.grant, 'detached')
    this.#reportEnd(lease, this.#parts.clock.monotonic())
  }

  async attach(ticket: LeaseTicket, text: string, attempt: number): Promise<HeldLease> {
    const { name, token, kind, ttlMs } = ticket
    const fence = BigInt(ticket.fence)
    const key = { name, token, kind }
    // A ticket of earlier versions does not say; only `reshare` would want to know, and sets it.
    const share = ticket.share ?? ({ kind: 'mutex' } as const)
    let sentAt = await this.#revive(key, ttlMs, fence)
    if (ticket.share !== undefined) sentAt = await this.#introduce(key, share, ttlMs, fence, text)
    const facts = { key, ttlMs, renews: true, fenceCount: 1, share, fence, text, queue: undefined }
    return this.handOut(this.start(facts, sentAt, ttlMs), attempt)
  }

  /** Answers the local moment from which on it lives so long. */
  #revive(key: LeaseKey, ttlMs: number, fence: bigint): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#parts.calls.renew({
        request: { ...key, ttlMs },
        answered: (answer, _at, sentAt) => {
          if (answer === 'lost') reject(new LeaseLost({ name: key.name, fence, reason: 'taken' }))
          else resolve(sentAt)
        },
        failed: reject,
      })
    })
  }

  /** Says to the store who holds it from now on, and where to tell that one. Answers as `#revive` does. */
  #introduce(key: LeaseKey, share: Share, ttlMs: number, fence: bigint, holder: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#parts.calls.acquire({
        request: { ...key, share, ttlMs, fenceCount: 1, holder, address: this.#parts.address },
        answered: (answer, _at, sentAt) => {
          if (answer.status === 'granted' && answer.fence <= fence) return resolve(sentAt)
          // It ended in between, and this is a lease of its own, which nobody wants.
          if (answer.status === 'granted') this.#parts.calls.abandon(key, ttlMs)
          reject(new LeaseLost({ name: key.name, fence, reason: 'taken' }))
        },
        failed: reject,
      })
    })
  }

  /** Asks for another share of the lock it holds. `false`: it is as it was. */
  async reshare(lease: HeldLease, share: Share): Promise<boolean> {
    lease.assertHeld()
    // The store would grant it anew if nothing were left of it, and what was read under the old lease may be stale by then.
    if (!(await this.#table.renew(lease.grant))) lease.assertHeld()
    return this.#reshare(lease, share)
  }

  #reshare(lease: HeldLease, share: Share): Promise<boolean> {
    const { grant } = lease
    const { key, ttlMs } = grant
    return new Promise((resolve, reject) => {
      this.#parts.calls.acquire({
        request: { ...key, share, ttlMs, fenceCount: 1, holder: grant.text, address: this.#parts.address },
        answered: (answer, _at, sentAt) => {
          this.judge(grant)
          if (grant.state !== 'held') {
            // It ended meanwhile, so this may have been granted as a lease of its own, which nobody wants.
            if (answer.status === 'granted' && grant.state !== 'detached') this.#parts.calls.abandon(key, ttlMs)
            return reject(lease.lostBy ?? new LeaseLost({ name: lease.name, fence: lease.fence, reason: 'released' }))
          }
          if (answer.status === 'granted') {
            grant.share = share
            grant.fence = answer.fence
            this.#table.extend(grant, sentAt)
          }
          resolve(answer.status === 'granted')
        },
        failed: reject,
      })
    })
  }

  onNotice(notice: Exclude<LeaseNotice, { kind: 'granted' }>): void {
    const grant = this.#table.get(notice.token)
    if (grant === undefined) return
    if (notice.kind === 'yield') grant.holder?.onYield(notice.reason)
    else this.#table.lose(grant, 'revoked', notice.reason)
  }

  onLost(grant: Grant, error: Error, reason: LostReason): void {
    const lease = grant.holder
    lease?.onLost(error)
    grant.queue?.left(grant)
    // By local time it may be over; in the store it may still stand, and stand in the way.
    if (reason !== 'taken' && reason !== 'revoked') this.#parts.calls.abandon(grant.key, grant.ttlMs)
    if (reason !== 'closed')
      this.#parts.logger.warn('lease lost', { name: grant.key.name, reason, error: error.message })
    if (lease instanceof HeldLease) this.#reportEnd(lease, this.#parts.clock.monotonic(), reason)
  }

  onRenewedLate(grant: Grant, leftMs: number): void {
    const lease = grant.holder
    if (!(lease instanceof HeldLease)) return
    this.#parts.events.report(lease.number, grant.key, { type: 'renewed-late', fence: lease.fence, leftMs })
  }

  logReleaseFailure(name: string, error: unknown): void {
    this.#parts.logger.warn('release failed; it is tried again until the lease has ended', {
      name,
      error: errorMessage(error),
    })
  }

  /** Gives everything back; the signals abort. */
  close(): void {
    for (const grant of this.#table.all()) this.#table.lose(grant, 'closed')
    this.#table.clear()
  }

  #end(grant: Grant, state: 'released' | 'detached'): void {
    this.#table.stop(grant)
    grant.state = state
    grant.queue?.left(grant)
  }

  #reportEnd(lease: HeldLease, endedAt: number, lost?: LostReason): void {
    const { events } = this.#parts
    if (!events.watched) return
    const facts = { fence: lease.fence, heldMs: Math.max(0, endedAt - lease.since) }
    const { key } = lease.grant
    if (lost === undefined) events.report(lease.number, key, { type: 'released', ...facts })
    else events.report(lease.number, key, { type: 'lost', ...facts, reason: lost })
  }
}
