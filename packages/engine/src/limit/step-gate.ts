/**
 * What stands between a step and its attempt: breaker, lock and limit, in this order. Each is asked without waiting for long in memory: who
 * may not go on is told when to ask again, and gives up its slot meanwhile; its place in the line is the store's. A lock has a line of its
 * own in front of it, so that steps come in order and only one of them at a time asks for the lease itself, which others may hold too.
 */
import { type Clock, errorMessage, type Logger, type Random } from '@lockstep/base'
import { type Lease, LockTimeout, ProviderUnavailable } from '@lockstep/coordination'
import { LocksNotConfigured } from '../function/errors.ts'
import type { BreakerPolicy, GateNames, GateRules, LockPolicy } from '../step/step-policies.ts'
import type { LimitRule, LimitStore, PermitAnswer, PermitName } from '../store/limit-store.ts'
import { lockNameOf } from '../store/lock-name.ts'
import { BreakerWaits } from './breaker-waits.ts'
import type { Breakers } from './breakers.ts'
import { BreakerOpen } from './errors.ts'
import { type Passed, passedGate } from './passed-gate.ts'
import type { Permits } from './permits.ts'
import type { StepLocks } from './step-locks.ts'

export interface StepGateOptions {
  readonly permits: Permits
  readonly breakers: Breakers
  readonly limits: Pick<LimitStore, 'noteBreakers'>
  readonly locks: StepLocks | undefined
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
}

/** Which attempt wants to begin. */
export interface GateSubject {
  readonly tenant: string
  readonly instanceId: string
  readonly definitionId: string
  readonly step: string
  /** The step without turns and repetitions: names the breaker that has no key. */
  readonly place: string
}

export type Entry = Passed | { readonly kind: 'later'; readonly inMs: number }

/** Within this time a call comes to an instance in hand; after it the claim is given back. */
const IN_HAND_MS = 2_000
/** Those who are called need not look; this is for calls that were lost. */
const LOOK_MS = 30_000
/** How long to wait for a lease that somebody else than a step may hold. */
const LEASE_MS = 1_000
const STORE_AWAY_MS = 1_000
const EXCLUSIVE: LimitRule = { concurrency: 1, rate: undefined }

export class StepGate {
  readonly #o: StepGateOptions
  readonly #waits: BreakerWaits

  constructor(options: StepGateOptions) {
    this.#o = options
    this.#waits = new BreakerWaits(options.limits, options.clock, options.logger)
  }

  /** Rejects when the attempt has failed by this alone: an open breaker that is not waited for, a lock that did not become free. */
  async enter(subject: GateSubject, rules: GateRules, names: GateNames, signal: AbortSignal): Promise<Entry> {
    const passed = passedGate(this.#o)
    try {
      const inMs =
        (await this.#passBreaker(subject, rules.breaker, names.breaker, passed)) ??
        (await this.#passLock(subject, rules.lock, names.lock, passed, signal)) ??
        (await this.#passLimit(subject, rules.limit, names.limit, passed, signal)) ??
        (await this.#probe(subject, rules.breaker, passed))
      signal.throwIfAborted()
      if (inMs === undefined) return passed
      passed.leave('untried')
      return { kind: 'later', inMs }
    } catch (error) {
      passed.leave('untried')
      throw error
    }
  }

  /** Gives up the places in line of a step that is no longer wanted. */
  withdraw({ tenant, instanceId, step }: GateSubject, { lock, limit }: GateNames): void {
    if (lock !== undefined) this.#o.permits.end({ tenant, kind: 'lock', key: lock, instanceId, step })
    if (limit !== undefined) this.#o.permits.end({ tenant, kind: 'limit', key: limit, instanceId, step })
  }

  async #passBreaker(
    subject: GateSubject,
    policy: BreakerPolicy | undefined,
    given: string | undefined,
    passed: Passed,
  ): Promise<number | undefined> {
    if (policy === undefined) return undefined
    const key = given ?? `${subject.definitionId}/${subject.place}`
    const name = { tenant: subject.tenant, key }
    const view = await this.#o.breakers.view(name).catch((error: unknown) => {
      this.#o.logger.warn('breaker not read', { key, reason: errorMessage(error) })
      return undefined
    })
    if (view === undefined) return STORE_AWAY_MS
    if (view.kind !== 'open') {
      passed.breaker = { name, policy, generation: view.kind === 'closed' ? view.generation : undefined }
      return undefined
    }
    return this.#breakerIsOpen(subject, key, policy, view.inMs, view.reason)
  }

  #breakerIsOpen(
    { tenant, instanceId, step }: GateSubject,
    key: string,
    { whenOpen }: BreakerPolicy,
    inMs: number,
    reason: string | undefined,
  ): number {
    if (whenOpen === 'fail')
      throw new BreakerOpen({ key, step, forMs: inMs, ...(reason === undefined ? {} : { reason }) })
    this.#waits.add({ tenant, key, instanceId, step, inMs })
    return inMs + this.#o.random.next() * 0.1 * inMs
  }

  /** Its time is over: all that is left to find out is whether this attempt is the one that tries. */
  async #probe(subject: GateSubject, policy: BreakerPolicy | undefined, passed: Passed): Promise<number | undefined> {
    const { breaker } = passed
    if (policy === undefined || breaker === undefined || breaker.generation !== undefined) return undefined
    const generation = await this.#o.breakers.probe(breaker.name, policy).catch(() => 'unknown' as const)
    if (generation === 'unknown') return STORE_AWAY_MS // it may be ours: it is given up when its time is over
    if (generation === undefined)
      return this.#breakerIsOpen(subject, breaker.name.key, policy, STORE_AWAY_MS, 'a probe that is under way')
    passed.probe = generation
    return undefined
  }

  async #passLimit(
    { tenant, instanceId, step }: GateSubject,
    rule: LimitRule | undefined,
    key: string | undefined,
    passed: Passed,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    if (rule === undefined || key === undefined) return undefined
    const name: PermitName = { tenant, kind: 'limit', key, instanceId, step }
    const answer = await this.#ask(name, rule, passed, signal)
    return answer.granted ? undefined : this.#lookIn(answer)
  }

  async #passLock(
    subject: GateSubject,
    policy: LockPolicy | undefined,
    key: string | undefined,
    passed: Passed,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    if (policy === undefined || key === undefined) return undefined
    const { tenant, instanceId, step } = subject
    if (this.#o.locks === undefined) throw new LocksNotConfigured({ name: key })
    const name: PermitName = { tenant, kind: 'lock', key, instanceId, step }
    const answer = await this.#ask(name, EXCLUSIVE, passed, signal)
    const leftMs = policy.waitMs - answer.waitedMs
    if (!answer.granted) {
      if (leftMs > 0) return Math.min(leftMs, this.#lookIn(answer))
      this.#o.permits.end(name)
      throw new LockTimeout({ name: key, waitMs: policy.waitMs })
    }
    const lease = await this.#lease(subject, key, policy, signal)
    if (lease !== undefined) {
      passed.lease = lease
      return undefined
    }
    // Held by somebody who did not come through this line: it keeps its place, and tries again soon.
    if (leftMs > 0) {
      passed.putBack(name)
      return Math.min(leftMs, LEASE_MS * (1 + this.#o.random.next()))
    }
    throw new LockTimeout({ name: key, waitMs: policy.waitMs })
  }

  async #lease(
    { tenant, instanceId, definitionId, step }: GateSubject,
    key: string,
    { ttlMs }: LockPolicy,
    signal: AbortSignal,
  ): Promise<Lease | undefined> {
    const name = lockNameOf(tenant, key)
    try {
      const lease = await this.#o.locks!.mutex(name).tryAcquire({
        waitMs: LEASE_MS,
        signal,
        meta: { instanceId, definitionId, step },
        ...(ttlMs === undefined ? {} : { ttlMs }),
      })
      return lease.ok ? lease : undefined
    } catch (error) {
      if (ProviderUnavailable.is(error)) return undefined // waited for like a lock that is taken
      throw error
    }
  }

  async #ask(name: PermitName, rule: LimitRule, passed: Passed, signal: AbortSignal): Promise<PermitAnswer> {
    const answer = await this.#o.permits.ask({ ...name, rule })
    if (answer.granted) passed.permits.push(name)
    else if (signal.aborted) this.#o.permits.end(name)
    signal.throwIfAborted()
    return answer
  }

  #lookIn({ waitedMs, waitsMs }: PermitAnswer): number {
    if (waitsMs !== undefined) return waitsMs
    return waitedMs < IN_HAND_MS ? IN_HAND_MS : LOOK_MS * (1 + this.#o.random.next() / 3)
  }
}
