/** The leases of one coordinator: how they are asked for, waited for and given up. What is held is in `Holding`. */
import { type Clock, type Logger, PassingMap, type Random, withTimeout } from '@lockstep/base'
import type { CoordinationProvider } from '../coordination-provider.ts'
import { CoordinatorClosed } from '../errors.ts'
import type { LockRegistryProvider } from '../monitor/lock-registry-provider.ts'
import type { Ask } from './ask.ts'
import { type Attempt, type AttemptOwner, Attempts, type Got } from './attempts.ts'
import { DueTable } from './due-table.ts'
import type { Grant, GrantQueue } from './grant.ts'
import type { HeldLease } from './held-lease.ts'
import { Holding } from './holding.ts'
import type { Busy, LeaseTicket } from './lease.ts'
import { LeaseCalls } from './lease-calls.ts'
import type { LeaseEvents } from './lease-events.ts'
import type { InTheWay, LeaseNotice, LeaseRequest, Place } from './lease-provider.ts'
import { LeaseTime } from './lease-time.ts'
import { MutexQueue, type MutexQueueContext } from './mutex-queue.ts'
import { SinglePlace, type SinglePlaceContext } from './single-place.ts'
import { StayAwake } from './stay-awake.ts'
import { Subscription } from './subscription.ts'
import { Tokens } from './token.ts'
import { Waiter } from './waiter.ts'

export interface LeasesOptions {
  readonly provider: CoordinationProvider
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly events: LeaseEvents
  /** Where messages to this coordinator go. */
  readonly address: string
  readonly askAgainMs: number
  readonly quota: number
}

/** How long `close` waits for calls that are under way. */
const CLOSE_MS = 5_000

export class Leases implements MutexQueueContext, SinglePlaceContext {
  readonly holding: Holding
  readonly calls: LeaseCalls
  readonly events: LeaseEvents
  readonly registry: LockRegistryProvider
  readonly quota: number
  readonly #options: LeasesOptions
  readonly #time: LeaseTime
  readonly #attempts: Attempts
  readonly #subscription: Subscription
  readonly #queues = new PassingMap<string, MutexQueue>()
  readonly #waits: DueTable<Waiter>
  readonly #awake: StayAwake
  readonly #tokens: Tokens
  #count = 0
  #closed = false

  constructor(options: LeasesOptions) {
    const { clock, random, logger, events, provider, askAgainMs } = options
    this.#options = options
    this.quota = options.quota
    this.events = events
    this.registry = provider.registry
    const time = new LeaseTime(clock)
    this.#time = time
    this.calls = new LeaseCalls(clock, () => time.now(), logger, provider.leases)
    const { calls } = this
    const { registry } = provider
    this.holding = new Holding({ clock, random, logger, events, time, calls, registry, address: options.address })
    this.#attempts = new Attempts(clock, random, time, this.calls, askAgainMs)
    this.#awake = new StayAwake(clock)
    this.#tokens = new Tokens(random)
    this.#waits = new DueTable(clock, (waiter) => this.#timeOut(waiter))
    this.#subscription = new Subscription(clock, logger, provider.leases, options.address, {
      onNotice: (notice) => this.#onNotice(notice),
      onGap: () => this.#attempts.askAllAgain(),
    })
  }

  /** Refused askings are values; aborted ones, and those the store cannot serve, reject. */
  acquire(ask: Ask): Promise<HeldLease | Busy> {
    const { signal } = ask
    return new Promise((resolve, reject) => {
      this.assertOpen()
      if (signal?.aborted) return reject(signal.reason)
      const waiter = new Waiter(ask, this.begin(ask), this.#options.clock.monotonic(), resolve, reject)
      this.#waits.add(waiter)
      if (signal !== undefined) waiter.onAbort(() => this.#abort(waiter, signal.reason))
      if (ask.kind === 'mutex' && ask.waitMs > 0) this.#queue(ask).add(waiter)
      else new SinglePlace(waiter, this, (owner) => this.open(waiter, 1, owner))
    })
  }

  /** Goes on with a lease of another process. */
  attach(ticket: LeaseTicket, holder: string): Promise<HeldLease> {
    return this.holding.attach(ticket, holder, this.begin(ticket))
  }

  /** What is asked of the store for `ask`. A token is made for it, and used for nothing else. */
  request(ask: Ask, fenceCount: number): LeaseRequest {
    const { name, kind, share, ttlMs, holder } = ask
    const { address } = this.#options
    const token = this.#tokens.next()
    // Two literals, not one and a spread: this is the path of every lock, and a spread costs more than the rest of it.
    if (ask.waitMs <= 0) return { name, token, kind, share, ttlMs, fenceCount, holder, address }
    return { name, token, kind, share, ttlMs, fenceCount, holder, address, wait: this.#place(ask) }
  }

  assertOpen(): void {
    if (this.#closed) throw new CoordinatorClosed({ doing: 'acquire' })
  }

  /** Somebody asks. Answers the number that joins the events of it. */
  begin(ask: Pick<Ask, 'name' | 'kind'>): number {
    this.assertOpen()
    if (this.#count === 0) this.calls.holdUntil(this.#subscription.open())
    this.#count += 1
    if (this.events.watched) this.events.report(this.#count, ask, { type: 'asked' })
    return this.#count
  }

  /** Holds what was granted outside of the queues. */
  hold(ask: Ask, number: number, got: Got): HeldLease {
    const lease = this.holding.handOut(this.#start(ask, got, undefined), number)
    this.events.report(number, ask, { type: 'granted', fence: lease.fence, waitedMs: 0, contended: false })
    return lease
  }

  open({ ask }: Waiter, fenceCount: number, owner: AttemptOwner): Attempt {
    return this.#attempts.open(this.request(ask, fenceCount), owner)
  }

  withdraw(attempt: Attempt): void {
    this.#attempts.withdraw(attempt)
  }

  start(waiter: Waiter, got: Got, queue?: GrantQueue): Grant {
    const grant = this.#start(waiter.ask, got, queue)
    this.pass(grant, waiter)
    return grant
  }

  pass(grant: Grant, waiter: Waiter): void {
    this.#ends(waiter)
    const lease = this.holding.handOut(grant, waiter.number)
    waiter.get(lease)
    if (!this.events.watched) return
    const { number, startedAt, contended } = waiter
    const waitedMs = lease.since - startedAt
    this.events.report(number, waiter.ask, { type: 'granted', fence: lease.fence, waitedMs, contended })
  }

  refuse(waiter: Waiter, inTheWay: InTheWay): void {
    this.#ends(waiter)
    const { holder } = waiter.refuse('held', inTheWay)
    this.events.report(waiter.number, waiter.ask, { type: 'refused', ...(holder !== undefined && { holder }) })
  }

  fail(waiter: Waiter, error: unknown): void {
    this.#ends(waiter)
    waiter.fail(error)
    this.events.report(waiter.number, waiter.ask, { type: 'failed', waitedMs: this.#waitedMs(waiter), error })
  }

  contend(waiter: Waiter): void {
    if (waiter.contended) return
    waiter.contended = true
    this.#awake.enter()
  }

  now(): number {
    return this.#time.now()
  }

  onEmpty(queue: MutexQueue): void {
    if (this.#queues.get(queue.name) === queue) this.#queues.delete(queue.name)
  }

  /** Nobody gets anything any more. */
  refuseNew(): void {
    this.#closed = true
    for (const waiter of this.#waits.clear()) {
      waiter.home?.leave(waiter)
      this.fail(waiter, new CoordinatorClosed({ doing: 'acquire' }))
    }
    this.#attempts.close()
  }

  /** After `refuseNew`: gives everything back, and waits for the store to have heard it. */
  async close(): Promise<void> {
    this.holding.close()
    const { clock, logger } = this.#options
    const done = Promise.all([this.calls.close(), this.#subscription.close()])
    await withTimeout(clock, CLOSE_MS, 'giving leases back', done).catch((error: Error) =>
      logger.warn('closed before the store had answered; what is held there ends by itself', { error: error.message }),
    )
  }

  #start({ renews }: Ask, { request, fence, sentAt, lifeMs }: Got, queue: GrantQueue | undefined): Grant {
    const { name, token, kind, ttlMs, share, fenceCount, holder: text } = request
    const facts = { key: { name, token, kind }, ttlMs, renews, fenceCount, share, fence, text, queue }
    return this.holding.start(facts, sentAt, lifeMs)
  }

  #queue({ name, ttlMs }: Ask): MutexQueue {
    let queue = this.#queues.get(name)
    if (queue === undefined) {
      queue = new MutexQueue(name, ttlMs, this)
      this.#queues.set(name, queue)
    }
    return queue
  }

  /** A place outlives two lost askings; a grant that nobody answers for blocks the others no longer than that either. */
  #place({ priority, ttlMs }: Ask): Place {
    const { address, askAgainMs } = this.#options
    return { address, priority, aliveMs: askAgainMs * 3, grantTtlMs: Math.min(ttlMs, askAgainMs * 1.5) }
  }

  #timeOut(waiter: Waiter): void {
    const inTheWay = waiter.home?.leave(waiter) ?? {}
    this.#ends(waiter)
    const { holder } = waiter.refuse('timeout', inTheWay)
    this.events.report(waiter.number, waiter.ask, {
      type: 'timed-out',
      waitedMs: this.#waitedMs(waiter),
      ...(holder !== undefined && { holder }),
    })
  }

  #ends(waiter: Waiter): void {
    this.#waits.delete(waiter)
    if (waiter.contended) this.#awake.leave()
  }

  #abort(waiter: Waiter, reason: unknown): void {
    waiter.home?.leave(waiter)
    this.fail(waiter, reason)
  }

  #onNotice(notice: LeaseNotice): void {
    if (notice.kind === 'granted') this.#attempts.onNotice(notice)
    else this.holding.onNotice(notice)
  }

  #waitedMs(waiter: Waiter): number {
    return this.#options.clock.monotonic() - waiter.startedAt
  }
}
