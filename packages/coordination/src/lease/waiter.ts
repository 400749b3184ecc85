import type { Ask } from './ask.ts'
import { busy } from './busy.ts'
import type { Due } from './due-table.ts'
import type { HeldLease } from './held-lease.ts'
import type { Busy } from './lease.ts'
import type { InTheWay } from './lease-provider.ts'

/** Where a waiter stands, and how it leaves. */
export interface WaiterHome {
  /** It goes away; answers what was in its way. */
  leave(waiter: Waiter): InTheWay
}

/** One caller of `acquire` or `tryAcquire` that has no answer yet. */
export class Waiter implements Due {
  readonly ask: Ask
  /** Joins the events of one asking. */
  readonly number: number
  readonly startedAt: number
  readonly dueAt: number
  home: WaiterHome | undefined
  before: Due | undefined
  after: Due | undefined
  contended = false
  readonly #resolve: (result: HeldLease | Busy) => void
  readonly #reject: (error: unknown) => void
  #onAbort: (() => void) | undefined

  constructor(
    ask: Ask,
    number: number,
    now: number,
    resolve: (result: HeldLease | Busy) => void,
    reject: (error: unknown) => void,
  ) {
    this.ask = ask
    this.number = number
    this.startedAt = now
    this.dueAt = ask.waitMs > 0 ? now + ask.waitMs : Number.POSITIVE_INFINITY
    this.#resolve = resolve
    this.#reject = reject
  }

  onAbort(run: () => void): void {
    this.#onAbort = run
    this.ask.signal?.addEventListener('abort', run, { once: true })
  }

  get(lease: HeldLease): void {
    this.#settle()
    this.#resolve(lease)
  }

  refuse(reason: Busy['reason'], inTheWay: InTheWay): Busy {
    this.#settle()
    const refused = busy(reason, inTheWay)
    this.#resolve(refused)
    return refused
  }

  fail(error: unknown): void {
    this.#settle()
    this.#reject(error)
  }

  #settle(): void {
    if (this.#onAbort !== undefined) this.ask.signal?.removeEventListener('abort', this.#onAbort)
    this.#onAbort = undefined
  }
}
