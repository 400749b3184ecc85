/**
 * Every lease this coordinator holds, by token, and the one loop that renews them. Only two things end a lease here: its
 * deadline, judged by local time alone, and the store saying that it is lost. A renewal that fails is tried again; one that
 * hangs is overtaken by the next. A loop that comes late (blocked, stopped, suspended) doubts everything: what may have
 * expired is lost, the rest is renewed at once.
 */
import { type Clock, PassingMap, type Random, type Timer } from '@lockstep/base'
import { LeaseLost } from '../errors.ts'
import { certainUntil, type Grant } from './grant.ts'
import type { LostReason } from './lease.ts'
import type { LeaseCalls } from './lease-calls.ts'
import type { LeaseTime } from './lease-time.ts'

/** The loop looks at the clocks this often while anything is held. */
const LOOK_EVERY_MS = 1_000
/** Later than this, and the process was not running. */
const STALLED_MS = 250

export interface RenewalWatch {
  onLost(grant: Grant, error: Error, reason: LostReason): void
  /** `leftMs`: what was left of the lease when its renewal came through; less than a third of its life. */
  onRenewedLate(grant: Grant, leftMs: number): void
}

export class RenewalTable {
  readonly #clock: Clock
  readonly #random: Random
  readonly #time: LeaseTime
  readonly #calls: LeaseCalls
  readonly #watch: RenewalWatch
  readonly #grants = new PassingMap<string, Grant>()
  #timer: Timer | undefined
  #wakeAt = Number.POSITIVE_INFINITY
  #doubt = false

  constructor(clock: Clock, random: Random, time: LeaseTime, calls: LeaseCalls, watch: RenewalWatch) {
    this.#clock = clock
    this.#random = random
    this.#time = time
    this.#calls = calls
    this.#watch = watch
    time.onSleep = () => {
      this.#doubt = true
      if (this.#grants.size > 0) this.#wake(0, 0)
    }
  }

  get(token: string): Grant | undefined {
    return this.#grants.get(token)
  }

  all(): Grant[] {
    return [...this.#grants.values()]
  }

  /** `lifeMs`: what the store gave it for now, counted from `sentAt`. */
  start(grant: Grant, sentAt: number, lifeMs: number): void {
    grant.validUntil = certainUntil(sentAt, lifeMs)
    grant.renewAt = sentAt + this.#spread(lifeMs / 3)
    grant.lifeMs = lifeMs
    this.#grants.set(grant.key.token, grant)
    this.#care(grant, sentAt)
  }

  /** Cares for it no longer. */
  stop(grant: Grant): void {
    this.#grants.delete(grant.key.token)
  }

  /** Loses it when it is not certainly ours any more. */
  judge(grant: Grant, now: number): void {
    if (grant.state !== 'held' || now < grant.validUntil) return
    this.lose(grant, now - grant.validUntil > STALLED_MS ? 'stalled' : 'expired')
  }

  lose(grant: Grant, reason: LostReason, detail?: string): void {
    if (grant.state !== 'held') return
    grant.state = 'lost'
    this.stop(grant)
    const fence = grant.holder?.fence ?? grant.fence
    const error = new LeaseLost({ name: grant.key.name, fence, reason, ...(detail !== undefined && { detail }) })
    this.#watch.onLost(grant, error, reason)
  }

  /** Renews now. Rejects when the store could not be asked. */
  renew(grant: Grant): Promise<boolean> {
    return new Promise((resolve, reject) => this.#renew(grant, resolve, reject))
  }

  /** The store extended it on another occasion. */
  extend(grant: Grant, sentAt: number): void {
    this.#renewed(grant, sentAt)
  }

  clear(): void {
    this.#grants.clear()
    this.#timer?.cancel()
    this.#timer = undefined
    this.#wakeAt = Number.POSITIVE_INFINITY
  }

  /** `now` may lie a little in the past: then the loop looks a little early. */
  #care(grant: Grant, now: number): void {
    const dueAt = grant.renews ? Math.min(grant.renewAt, grant.validUntil) : grant.validUntil
    const at = Math.min(now + LOOK_EVERY_MS, dueAt)
    if (at < this.#wakeAt) this.#wake(at, this.#time.now())
  }

  #wake(at: number, now: number): void {
    this.#timer?.cancel()
    this.#wakeAt = at
    this.#timer = this.#clock.schedule(Math.max(0, at - now), () => this.#look())
  }

  #look(): void {
    const now = this.#time.now()
    const doubt = this.#doubt || now - this.#wakeAt > STALLED_MS
    this.#doubt = false
    this.#timer?.cancel()
    this.#timer = undefined
    this.#wakeAt = Number.POSITIVE_INFINITY

    let next = now + LOOK_EVERY_MS
    for (const grant of this.#grants.values()) {
      if (now >= grant.validUntil) {
        this.judge(grant, now)
        continue
      }
      // A little ahead of its time, so that leases of about the same age share a call.
      if (grant.renews && (doubt || now >= grant.renewAt - grant.ttlMs / 20)) this.#renew(grant)
      next = Math.min(next, grant.validUntil, grant.renews ? grant.renewAt : next)
    }
    if (this.#grants.size > 0) this.#wake(next, now)
  }

  #renew(grant: Grant, done?: (renewed: boolean) => void, failed?: (error: unknown) => void): void {
    const { key, ttlMs } = grant
    grant.renewAt = this.#time.now() + this.#spread(ttlMs / 3)
    this.#calls.renew({
      request: { ...key, ttlMs },
      answered: (answer, _at, sentAt) => {
        if (answer === 'renewed') this.#renewed(grant, sentAt)
        else this.lose(grant, 'taken')
        done?.(grant.state === 'held')
      },
      failed: (error) => {
        const now = this.#time.now()
        grant.renewAt = now + this.#spread(Math.min(1_000, Math.max(20, ttlMs / 10)))
        if (grant.state === 'held') this.#care(grant, now)
        failed?.(error)
      },
    })
  }

  #renewed(grant: Grant, sentAt: number): void {
    if (grant.state !== 'held') return
    const now = this.#time.now()
    const leftMs = Math.max(0, grant.validUntil - now)
    if (leftMs < grant.lifeMs / 3) this.#watch.onRenewedLate(grant, leftMs)
    grant.lifeMs = grant.ttlMs
    grant.validUntil = Math.max(grant.validUntil, certainUntil(sentAt, grant.ttlMs))
    grant.renewAt = Math.max(grant.renewAt, sentAt + this.#spread(grant.ttlMs / 3))
    this.#care(grant, now)
  }

  /** Up to a tenth less, so that leases taken together do not renew together for ever. */
  #spread(ms: number): number {
    return ms * (1 - this.#random.next() / 10)
  }
}
