import type { Clock, Logger, Random } from '@lockstep/base'
import type { CoordinationProvider } from '../coordination-provider.ts'
import type { MutexOptions } from '../lock/mutex-options.ts'
import type { HolderInfo, Lock } from './lease.ts'
import type { LeaseEvents } from './lease-events.ts'

/** What election, guards, monitor and members are built on: one coordinator, seen from inside the package. */
export interface LeaseKit {
  readonly provider: CoordinationProvider
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** Of this coordinator, without `meta`. */
  readonly self: HolderInfo
  readonly events: LeaseEvents
  /** Life of a lease and patience of a waiter where the caller says nothing. */
  readonly ttlMs: number
  readonly waitMs: number
  /** Aborts with `COORDINATOR_CLOSED` as the first act of `close()`. */
  readonly closing: AbortSignal
  /** Throws `COORDINATOR_CLOSED`. */
  assertOpen(doing: string): void
  /** `close()` releases nothing until this has settled: for work that gives its own leases back once `closing` has aborted. */
  beforeRelease(work: Promise<unknown>): void
  mutex(name: string, options?: MutexOptions): Lock
}
