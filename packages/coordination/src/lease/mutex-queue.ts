/**
 * Those in this process who wait for one mutex. They stand here in order (priority, then arrival); in the store stands one
 * place for all of them, and a further one when somebody comes who goes before it. A grant goes to the first of them, whoever
 * it was asked for.
 *
 * When a lease is released here, the next one here gets it without a call: the same lease, the next of its fences. That is
 * allowed as often as the lease has fences; then it goes to the store and the other processes have their turn. As long as
 * those who wait can all be served that way, they need no place in the store.
 *
 * Whoever has to stand in the store as itself (`Ask.alone`) has a place of its own and is never served by passing on, but
 * stands in the order here, so that nobody is passed on to past it.
 */
import { SeldomMap } from '@lockstep/base'
import type { Attempt, AttemptOwner, Got } from './attempts.ts'
import type { Grant, GrantQueue } from './grant.ts'
import type { InTheWay } from './lease-provider.ts'
import type { Waiter, WaiterHome } from './waiter.ts'

export interface MutexQueueContext {
  /** How often a lease may be passed on inside the process. */
  readonly quota: number
  /** Asks the store on behalf of `waiter`. */
  open(waiter: Waiter, fenceCount: number, owner: AttemptOwner): Attempt
  withdraw(attempt: Attempt): void
  /** A grant for `waiter`, which it gets at once. */
  start(waiter: Waiter, got: Got, queue: MutexQueue): Grant
  /** Hands a grant that is held to `waiter`. */
  pass(grant: Grant, waiter: Waiter): void
  fail(waiter: Waiter, error: unknown): void
  /** It did not get it at once. */
  contend(waiter: Waiter): void
  now(): number
  /** Nobody waits here and nothing is held. */
  onEmpty(queue: MutexQueue): void
}

export class MutexQueue implements AttemptOwner, GrantQueue, WaiterHome {
  readonly name: string
  /** Of those who share a place; who wants another stands alone. */
  readonly ttlMs: number
  readonly #context: MutexQueueContext
  readonly #waiters: Waiter[] = []
  /** Places that stand for everybody here, the highest last. */
  readonly #places: { readonly attempt: Attempt; readonly priority: number }[] = []
  /** Places of those who stand alone. */
  readonly #own = new SeldomMap<Attempt, Waiter>()
  #held: Grant | undefined

  constructor(name: string, ttlMs: number, context: MutexQueueContext) {
    this.name = name
    this.ttlMs = ttlMs
    this.#context = context
  }

  add(waiter: Waiter): void {
    let index = this.#waiters.length
    while (index > 0 && this.#waiters[index - 1]!.ask.priority < waiter.ask.priority) index -= 1
    this.#waiters.splice(index, 0, waiter)
    waiter.home = this
    if (this.#held !== undefined || this.#waiters.length > 1) this.#context.contend(waiter)
    if (this.#isAlone(waiter)) {
      this.#keepPlaces(true)
      this.#own.set(this.#context.open(waiter, 1, this), waiter)
    } else this.#keepPlaces()
  }

  leave(waiter: Waiter): InTheWay {
    const inTheWay = this.#inTheWay(waiter)
    this.#remove(waiter)
    for (const [attempt, owner] of this.#own) {
      if (owner !== waiter) continue
      this.#own.delete(attempt)
      this.#context.withdraw(attempt)
    }
    this.#keepPlaces()
    return inTheWay
  }

  onGranted(attempt: Attempt, got: Got): Grant | undefined {
    const alone = this.#own.get(attempt)
    this.#forget(attempt)
    const waiter = alone ?? this.#waiters.find((each) => !this.#isAlone(each))
    if (waiter === undefined) {
      this.#keepPlaces()
      return undefined
    }
    this.#remove(waiter)
    const grant = this.#context.start(waiter, got, this)
    this.#held = grant
    this.#keepPlaces()
    return grant
  }

  onQueued(attempt: Attempt): void {
    const alone = this.#own.get(attempt)
    if (alone !== undefined) this.#context.contend(alone)
    else for (const waiter of this.#waiters) this.#context.contend(waiter)
  }

  onRefused(attempt: Attempt): void {
    this.onFailed(attempt, new Error('a place in the queue was asked for and refused'))
  }

  /** The store could not be asked, or will not have it: that is true for all who stand behind this place. */
  onFailed(attempt: Attempt, error: unknown): void {
    const alone = this.#own.get(attempt)
    this.#forget(attempt)
    const failed = alone !== undefined ? [alone] : this.#waiters.filter((each) => !this.#isAlone(each))
    for (const waiter of failed) {
      this.#remove(waiter)
      this.#context.fail(waiter, error)
    }
    this.#keepPlaces()
  }

  passOn(grant: Grant): boolean {
    const next = this.#waiters[0]
    if (next === undefined || this.#isAlone(next) || passesLeft(grant) === 0) return false
    if (grant.validUntil - this.#context.now() < grant.lifeMs / 3) return false
    this.#waiters.shift()
    grant.passedCount += 1
    this.#context.pass(grant, next)
    this.#keepPlaces()
    return true
  }

  left(grant: Grant): void {
    if (this.#held === grant) this.#held = undefined
    this.#keepPlaces()
  }

  /** One place for those here that passing on may not reach, with the rank of the first of them and never with a higher one. */
  #keepPlaces(oneComesAlone = false): void {
    const sharing = this.#waiters.length - this.#own.size - (oneComesAlone ? 1 : 0)
    const passable = this.#held === undefined || oneComesAlone || this.#own.size > 0 ? 0 : passesLeft(this.#held)
    const head = sharing > 0 ? this.#waiters.find((each) => !this.#isAlone(each)) : undefined
    const rank = head?.ask.priority ?? Number.NEGATIVE_INFINITY
    while ((this.#places.at(-1)?.priority ?? rank) > rank) this.#context.withdraw(this.#places.pop()!.attempt)
    if (head !== undefined && sharing > passable && this.#places.every(({ priority }) => priority < rank)) {
      this.#places.push({ attempt: this.#context.open(head, this.#context.quota + 1, this), priority: rank })
    }
    while (this.#places.length > sharing) this.#context.withdraw(this.#places.shift()!.attempt)
    if (this.#waiters.length === 0 && this.#held === undefined) this.#context.onEmpty(this)
  }

  #isAlone(waiter: Waiter): boolean {
    return waiter.ask.alone || waiter.ask.ttlMs !== this.ttlMs
  }

  #remove(waiter: Waiter): void {
    const index = this.#waiters.indexOf(waiter)
    if (index >= 0) this.#waiters.splice(index, 1)
  }

  #forget(attempt: Attempt): void {
    if (this.#own.delete(attempt)) return
    const index = this.#places.findIndex((each) => each.attempt === attempt)
    if (index >= 0) this.#places.splice(index, 1)
  }

  #inTheWay(waiter: Waiter): InTheWay {
    for (const [attempt, owner] of this.#own) if (owner === waiter) return attempt.inTheWay
    const place = this.#places[0]?.attempt.inTheWay
    if (place?.holder !== undefined || this.#held === undefined) return place ?? {}
    return { holder: waiter.ask.holder, leftMs: this.#held.validUntil - this.#context.now() }
  }
}

function passesLeft(grant: Grant): number {
  return grant.fenceCount - 1 - grant.passedCount
}
