import type { AcquireOptions, Busy, Lease, Lock, RunIfFree, TryOptions } from '../lease/lease.ts'
import { checkPermits, LeaseLock, type LockContext } from './lease-lock.ts'

export interface Weight {
  /** How many permits to take. @default 1 */
  readonly weight?: number
}

/** A number of permits. Whoever waits for many is not overtaken by those who want few. */
export interface Semaphore extends Lock {
  /** As it was asked for here; one set by `resize` wins over it. */
  readonly max: number
  acquire(options?: AcquireOptions & Weight): Promise<Lease>
  tryAcquire(options?: TryOptions & Weight): Promise<Lease | Busy>
  run<T>(work: (lease: Lease) => Promise<T> | T, options?: AcquireOptions & Weight): Promise<T>
  runIfFree<T>(work: (lease: Lease) => Promise<T> | T, options?: TryOptions & Weight): Promise<RunIfFree<T>>
  /** `weight` permits as a lock of their own, for `all`. */
  permits(weight: number): Lock
  /** Sets the number of permits for everybody and for good. What is held above it is not taken away. */
  resize(max: number): Promise<void>
  /** Permits that nobody holds, at the moment the store answered. */
  available(): Promise<number>
}

/** The lock of one permit, which also answers for any other number of them. */
export class PermitLock implements Semaphore {
  readonly name: string
  readonly max: number
  readonly context: LockContext
  readonly #ttlMs: number | undefined
  readonly #byWeight = new Map<number, LeaseLock>()

  constructor(context: LockContext, name: string, max: number, { ttlMs }: { readonly ttlMs?: number } = {}) {
    this.context = context
    this.name = name
    this.max = checkPermits('max', max)
    this.#ttlMs = ttlMs
    this.permits(1)
  }

  permits(weight: number): LeaseLock {
    const known = this.#byWeight.get(weight)
    if (known !== undefined) return known
    const share = { kind: 'permits', weight: checkPermits('weight', weight), max: this.max } as const
    const lock = new LeaseLock(this.context, { name: this.name, kind: 'semaphore', share, ttlMs: this.#ttlMs })
    if (this.#byWeight.size < MOST_WEIGHTS) this.#byWeight.set(weight, lock)
    return lock
  }

  async acquire({ weight = 1, ...options }: AcquireOptions & Weight = {}): Promise<Lease> {
    return this.permits(weight).acquire(options)
  }

  async tryAcquire({ weight = 1, ...options }: TryOptions & Weight = {}): Promise<Lease | Busy> {
    return this.permits(weight).tryAcquire(options)
  }

  async run<T>(
    work: (lease: Lease) => Promise<T> | T,
    { weight = 1, ...options }: AcquireOptions & Weight = {},
  ): Promise<T> {
    return this.permits(weight).run(work, options)
  }

  async runIfFree<T>(
    work: (lease: Lease) => Promise<T> | T,
    { weight = 1, ...options }: TryOptions & Weight = {},
  ): Promise<RunIfFree<T>> {
    return this.permits(weight).runIfFree(work, options)
  }

  async resize(max: number): Promise<void> {
    this.context.leases.assertOpen()
    await this.context.leases.registry.resize(this.name, checkPermits('max', max))
  }

  async available(): Promise<number> {
    this.context.leases.assertOpen()
    const state = await this.context.leases.registry.read(this.name)
    if (state === undefined) return this.max
    let free = state.max ?? this.max
    for (const { share } of state.holders) free -= share.kind === 'permits' ? share.weight : 0
    return Math.max(0, free)
  }
}

const MOST_WEIGHTS = 64
