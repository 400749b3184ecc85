/**
 * Tokens that ask for a lease: those under way and those that wait in a queue of the store. A grant comes as the answer to an
 * asking or as a message, in any order and perhaps twice; the first that arrives counts. Whoever waits asks again now and
 * then, and at once when messages may have been missed. A token that was given up is released, and released again when an
 * asking that was still under way turns out to have got something.
 */
import { type Clock, PassingMap, type Random } from '@lockstep/base'
import { LockKindMismatch, TooManyPermits } from '../errors.ts'
import { type Due, DueTable } from './due-table.ts'
import type { Asking } from './gather.ts'
import { certainUntil, type Grant } from './grant.ts'
import type { LeaseCalls } from './lease-calls.ts'
import type { InTheWay, LeaseAnswer, LeaseNotice, LeaseRequest } from './lease-provider.ts'
import type { LeaseTime } from './lease-time.ts'

export interface AttemptOwner {
  /** Answers what became of it; nothing: it is given back. */
  onGranted(attempt: Attempt, got: Got): Grant | undefined
  onRefused(attempt: Attempt): void
  onQueued?(attempt: Attempt): void
  onFailed(attempt: Attempt, error: unknown): void
}

/** What an attempt got. The lease lives `lifeMs` from the local moment `sentAt`. */
export interface Got {
  readonly request: LeaseRequest
  readonly fence: bigint
  readonly sentAt: number
  readonly lifeMs: number
}

/** Shortest pause between two askings of one who waits, however soon the lease in the way ends. */
const SHORTEST_PAUSE_MS = 250

type GrantedNotice = Extract<LeaseNotice, { kind: 'granted' }>

export class Attempt implements Asking<LeaseRequest, LeaseAnswer>, Due {
  readonly request: LeaseRequest
  readonly owner: AttemptOwner
  readonly #table: Attempts
  state: 'asking' | 'queued' | 'granted' | 'ended' = 'asking'
  dueAt = 0
  before: Due | undefined
  after: Due | undefined
  grant: Grant | undefined
  inTheWay: InTheWay = {}
  /** The last answer from the queue: joins the store's clock with ours. */
  anchor: { readonly sentAt: number; readonly at: number } | undefined
  /** A grant that came before the answer that says we wait. */
  early: GrantedNotice | undefined

  constructor(table: Attempts, request: LeaseRequest, owner: AttemptOwner) {
    this.#table = table
    this.request = request
    this.owner = owner
  }

  answered(answer: LeaseAnswer, at: number, sentAt: number): void {
    this.#table.onAnswer(this, answer, at, sentAt)
  }

  failed(error: unknown): void {
    this.#table.onFailure(this, error)
  }
}

export class Attempts {
  readonly #clock: Clock
  readonly #random: Random
  readonly #time: LeaseTime
  readonly #calls: LeaseCalls
  readonly #askAgainMs: number
  readonly #waiting = new PassingMap<string, Attempt>()
  readonly #due: DueTable<Attempt>

  constructor(clock: Clock, random: Random, time: LeaseTime, calls: LeaseCalls, askAgainMs: number) {
    this.#clock = clock
    this.#random = random
    this.#time = time
    this.#calls = calls
    this.#askAgainMs = askAgainMs
    this.#due = new DueTable(clock, (attempt) => this.#askAgain(attempt))
  }

  open(request: LeaseRequest, owner: AttemptOwner): Attempt {
    const attempt = new Attempt(this, request, owner)
    if (request.wait !== undefined) this.#waiting.set(request.token, attempt)
    this.#calls.acquire(attempt)
    return attempt
  }

  /** Gives it up. Its owner hears nothing of it any more. */
  withdraw(attempt: Attempt): void {
    if (attempt.state === 'ended' || attempt.state === 'granted') return
    const wasQueued = attempt.state === 'queued'
    this.#end(attempt)
    // While the first asking is under way there may be nothing to release yet: its answer will tell.
    if (wasQueued) this.#abandon(attempt)
  }

  onNotice(notice: GrantedNotice): void {
    const attempt = this.#waiting.get(notice.token)
    if (attempt === undefined) return
    if (attempt.anchor === undefined) attempt.early = notice
    else this.#handOver(attempt, notice)
  }

  /** Messages may have been missed. */
  askAllAgain(): void {
    for (const attempt of this.#waiting.values()) if (attempt.state === 'queued') this.#askAgain(attempt)
  }

  close(): void {
    for (const attempt of this.#waiting.values()) this.withdraw(attempt)
    this.#due.clear()
  }

  onAnswer(attempt: Attempt, answer: LeaseAnswer, at: number, sentAt: number): void {
    if (attempt.state === 'ended' || attempt.state === 'granted') return this.#tooLate(attempt, answer)
    switch (answer.status) {
      case 'granted':
        return this.#granted(attempt, answer.fence, sentAt, attempt.request.ttlMs)
      case 'queued':
        return this.#queued(attempt, answer, at, sentAt)
      case 'busy':
        attempt.inTheWay = answer
        this.#end(attempt)
        return attempt.owner.onRefused(attempt)
      default:
        this.#end(attempt)
        return attempt.owner.onFailed(attempt, refusal(attempt.request, answer))
    }
  }

  onFailure(attempt: Attempt, error: unknown): void {
    if (attempt.state === 'queued') return this.#wait(attempt, this.#askAgainMs) // its place may still stand
    if (attempt.state === 'granted') return this.#lostAnswer(attempt)
    const given = attempt.state === 'asking'
    this.#end(attempt)
    this.#abandon(attempt, true)
    if (given) attempt.owner.onFailed(attempt, error)
  }

  #queued(attempt: Attempt, answer: InTheWay & { readonly ahead: number }, at: number, sentAt: number): void {
    const first = attempt.state === 'asking'
    attempt.state = 'queued'
    attempt.anchor = { at, sentAt }
    attempt.inTheWay = answer
    const { early } = attempt
    attempt.early = undefined
    if (early !== undefined) return this.#handOver(attempt, early)
    const endsMs = answer.ahead === 0 && answer.leftMs !== undefined ? answer.leftMs + 10 : this.#askAgainMs
    this.#wait(attempt, Math.min(this.#askAgainMs, Math.max(SHORTEST_PAUSE_MS, endsMs)))
    if (first) attempt.owner.onQueued?.(attempt)
  }

  /** The store's moment of the grant, moved to our clock: it cannot have been earlier here than the last asking plus what passed in the store since. */
  #handOver(attempt: Attempt, notice: GrantedNotice): void {
    const now = this.#time.now()
    const { at, sentAt } = attempt.anchor!
    const grantedAt = Math.min(now, sentAt + (notice.at - at))
    const { grantTtlMs } = attempt.request.wait!
    if (certainUntil(grantedAt, grantTtlMs) <= now) this.#askAgain(attempt)
    else this.#granted(attempt, notice.fence, grantedAt, grantTtlMs)
  }

  #granted(attempt: Attempt, fence: bigint, sentAt: number, lifeMs: number): void {
    this.#end(attempt)
    attempt.grant = attempt.owner.onGranted(attempt, { request: attempt.request, fence, sentAt, lifeMs })
    if (attempt.grant === undefined) this.#abandon(attempt)
    else attempt.state = 'granted'
  }

  /** It was decided already. What this asking got in the store stays only when somebody here has it. */
  #tooLate(attempt: Attempt, answer: LeaseAnswer): void {
    if (answer.status !== 'granted' && answer.status !== 'queued') return
    const state = attempt.grant?.state
    if (state !== 'held' && state !== 'detached') this.#abandon(attempt)
  }

  /** The asking may have come to the store after the release: then it got a lease that nobody knows of. */
  #lostAnswer(attempt: Attempt): void {
    const state = attempt.grant?.state
    if (state !== 'held' && state !== 'detached') this.#abandon(attempt, true)
  }

  #askAgain(attempt: Attempt): void {
    this.#wait(attempt, this.#askAgainMs)
    this.#calls.acquire(attempt)
  }

  #wait(attempt: Attempt, ms: number): void {
    this.#due.delete(attempt)
    attempt.dueAt = this.#clock.monotonic() + ms * (0.75 + this.#random.next() / 2)
    this.#due.add(attempt)
  }

  #end(attempt: Attempt): void {
    if (attempt.state === 'queued') this.#due.delete(attempt)
    attempt.state = 'ended'
    if (attempt.request.wait !== undefined) this.#waiting.delete(attempt.request.token)
  }

  #abandon({ request }: Attempt, unknownOutcome = false): void {
    this.#calls.abandon(request, Math.max(request.ttlMs, request.wait?.aliveMs ?? 0), unknownOutcome)
  }
}

/** What a store will never grant. */
export function refusal({ name, kind, share }: LeaseRequest, answer: LeaseAnswer): Error {
  if (answer.status === 'too-heavy') {
    return new TooManyPermits({ name, weight: share.kind === 'permits' ? share.weight : 1, max: answer.max })
  }
  const inUseAs = answer.status === 'wrong-kind' ? answer.inUseAs : 'something else'
  return new LockKindMismatch({ name, asked: kind, inUseAs })
}
