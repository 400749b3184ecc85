/**
 * A mutex that whoever runs under it may ask for again. "Whoever" is the asynchronous context of the function given to
 * `run`: everything it awaits or starts. Asked for inside, the lock is the same lease with the same fence, counted here,
 * without a call to the store; the store hears of its release when the last of them has let go.
 *
 * `acquire` opens no scope: nothing could close it, and two tasks started side by side would share it unawares. A task that
 * outlives the function of `run` is outside again and has to wait like any other.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { HeldLease } from '../lease/held-lease.ts'
import type { AcquireOptions, Busy, Lease, Lock, RunIfFree, TryOptions } from '../lease/lease.ts'
import { type CountedLease, LeaseCount } from './counted-lease.ts'
import { didNotRun, type LeaseLock } from './lease-lock.ts'
import { runUnder } from './run-under.ts'

interface Scope {
  readonly mutex: { readonly name: string }
  readonly count: LeaseCount
  readonly outer: Scope | undefined
  open: boolean
}

/** The scopes of one coordinator. */
export type LockScopes = AsyncLocalStorage<Scope>

export function lockScopes(): LockScopes {
  return new AsyncLocalStorage()
}

export class ReentrantMutex implements Lock {
  readonly name: string
  readonly inner: LeaseLock
  readonly #scopes: LockScopes

  constructor(inner: LeaseLock, scopes: LockScopes) {
    this.name = inner.name
    this.inner = inner
    this.#scopes = scopes
  }

  async acquire(options?: AcquireOptions): Promise<Lease> {
    return this.enter(options) ?? this.inner.acquire(options)
  }

  async tryAcquire(options?: TryOptions): Promise<Lease | Busy> {
    return this.enter(options) ?? this.inner.tryAcquire(options)
  }

  async run<T>(work: (lease: Lease) => Promise<T> | T, options?: AcquireOptions): Promise<T> {
    const inside = this.enter(options)
    if (inside !== undefined) return runUnder(inside, this.inner.context.logger, work)
    return this.#runInScope(await this.inner.acquire(options), work)
  }

  async runIfFree<T>(work: (lease: Lease) => Promise<T> | T, options?: TryOptions): Promise<RunIfFree<T>> {
    const inside = this.enter(options)
    if (inside !== undefined) return { ran: true, value: await runUnder(inside, this.inner.context.logger, work) }
    const lease = await this.inner.tryAcquire(options)
    if (!lease.ok) return didNotRun(lease)
    return { ran: true, value: await this.#runInScope(lease, work) }
  }

  /** Once more, when the caller runs under this lock. Throws `LEASE_LOST` when it runs under one that was lost meanwhile. */
  enter(options: AcquireOptions | undefined): CountedLease | undefined {
    this.inner.ask(options)
    options?.signal?.throwIfAborted()
    for (let scope = this.#scopes.getStore(); scope !== undefined; scope = scope.outer) {
      if (scope.mutex.name === this.name && scope.open && scope.count.held) return scope.count.enter()
    }
    return undefined
  }

  async #runInScope<T>(lease: HeldLease, work: (lease: Lease) => Promise<T> | T): Promise<T> {
    const count = new LeaseCount(lease)
    const scope: Scope = { mutex: this, count, outer: this.#scopes.getStore(), open: true }
    return runUnder(count.enter(), this.inner.context.logger, async (first) => {
      try {
        return await this.#scopes.run(scope, () => work(first))
      } finally {
        scope.open = false
      }
    })
  }
}
