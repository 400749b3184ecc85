import type { AcquireOptions, Busy, Lease, RunIfFree, TryOptions } from '../lease/lease.ts'

/** Several leases that stand and fall together: its signal aborts with the first that is lost. */
export interface MultiLease extends Omit<Lease, 'fence' | 'detach'> {
  /** By the name of the lock. Hand each resource the fence of its own lock. */
  readonly fences: ReadonlyMap<string, bigint>
}

/** All of its locks or none. Asked for in the order of their names, so that two of them cannot deadlock. */
export interface MultiLock {
  readonly name: string
  acquire(options?: AcquireOptions): Promise<MultiLease>
  tryAcquire(options?: TryOptions): Promise<MultiLease | Busy>
  run<T>(work: (lease: MultiLease) => Promise<T> | T, options?: AcquireOptions): Promise<T>
  runIfFree<T>(work: (lease: MultiLease) => Promise<T> | T, options?: TryOptions): Promise<RunIfFree<T>>
}
