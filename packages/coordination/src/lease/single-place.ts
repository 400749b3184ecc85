import type { Attempt, AttemptOwner, Got } from './attempts.ts'
import type { Grant } from './grant.ts'
import type { InTheWay } from './lease-provider.ts'
import type { Waiter, WaiterHome } from './waiter.ts'

export interface SinglePlaceContext {
  withdraw(attempt: Attempt): void
  start(waiter: Waiter, got: Got): Grant
  refuse(waiter: Waiter, inTheWay: InTheWay): void
  fail(waiter: Waiter, error: unknown): void
  contend(waiter: Waiter): void
}

/** A waiter and its own attempt: everything but those who wait for a mutex. */
export class SinglePlace implements AttemptOwner, WaiterHome {
  readonly #waiter: Waiter
  readonly #context: SinglePlaceContext
  #attempt: Attempt | undefined

  constructor(waiter: Waiter, context: SinglePlaceContext, open: (owner: AttemptOwner) => Attempt) {
    this.#waiter = waiter
    this.#context = context
    waiter.home = this
    this.#attempt = open(this)
  }

  leave(): InTheWay {
    const attempt = this.#attempt
    if (attempt === undefined) return {}
    this.#attempt = undefined
    this.#context.withdraw(attempt)
    return attempt.inTheWay
  }

  onGranted(_attempt: Attempt, got: Got): Grant {
    return this.#context.start(this.#waiter, got)
  }

  onQueued(): void {
    this.#context.contend(this.#waiter)
  }

  onRefused(attempt: Attempt): void {
    this.#context.refuse(this.#waiter, attempt.inTheWay)
  }

  onFailed(_attempt: Attempt, error: unknown): void {
    this.#context.fail(this.#waiter, error)
  }
}
