import type { Share } from './lease-provider.ts'

/** Who holds or waits: shown to people, stored beside the lease. */
export interface HolderInfo {
  /** The coordinator's id; random for each incarnation. */
  readonly nodeId: string
  readonly node: string
  readonly pid: number
  readonly host: string
  /** What the caller passed as `meta`. */
  readonly meta?: unknown
}

export type LostReason =
  /** Its time ended, or can have ended, before a renewal succeeded. */
  | 'expired'
  /** The store says that it is not ours any more. */
  | 'taken'
  /** Somebody broke it; the text says why. */
  | 'revoked'
  /** The process was paused, the machine suspended, or the event loop blocked for longer than the lease can bear. */
  | 'stalled'
  /** `close()` of the coordinator. */
  | 'closed'
  /** It was released or detached here before. Only `assertHeld` says so; a signal never does. */
  | 'released'

/** A lease that was granted. Dispose of it with `await using`, or call `release`. */
export interface Lease extends AsyncDisposable {
  readonly ok: true
  readonly name: string
  /** Rises with every grant of `name`. Hand it to whatever the lock protects. */
  readonly fence: bigint
  /** Aborts with `LEASE_LOST` before the lease can have expired. It never fires after `release`. */
  readonly signal: AbortSignal
  /** Aborts when somebody asked for the lease with `requestYield`: give it up when convenient. */
  readonly yieldSignal: AbortSignal
  /** How long it is certainly ours without a renewal, by the monotonic clock. 0: not certain any more. */
  remainingMs(): number
  /** Throws `LEASE_LOST` unless it is certainly ours. Call it before each effect outside. */
  assertHeld(): void
  /** Asks the store. True only of that moment. Rejects with `PROVIDER_UNAVAILABLE`. */
  verify(): Promise<boolean>
  /**
   * Ends it. Repeating it is harmless, a lost one is no error. Rejects with `PROVIDER_UNAVAILABLE` when the store was not
   * reached: it is over here all the same, and goes on being released in the background. (`await using` and `run` only log that.)
   */
  release(): Promise<'released' | 'lost'>
  /** Stops caring for it here and answers a ticket with which another process goes on (`attach`). */
  detach(): LeaseTicket
}

/** A lease on its way to another process; plain JSON. Attach it before `ttlMs` has passed. */
export interface LeaseTicket {
  readonly name: string
  readonly token: string
  readonly fence: string
  readonly kind: 'mutex' | 'read-write' | 'semaphore'
  readonly ttlMs: number
  /** What of the lock is held. Absent in tickets of earlier versions: then others go on seeing who had it before. */
  readonly share?: Share
}

/** What a try answers when it did not get the lease. It can stand in `await using` too. */
export interface Busy extends AsyncDisposable {
  readonly ok: false
  readonly reason: 'held' | 'timeout'
  readonly holder?: HolderInfo
  /** When the lease in the way ends if nobody renews it. */
  readonly retryAfterMs?: number
}

export interface TryOptions {
  /** How long to wait for it. @default 0 */
  readonly waitMs?: number
  /** Ends the waiting; the call rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** How long the lease lives without renewal; 50 ms to a day. @default of the coordinator (30 s) */
  readonly ttlMs?: number
  /** Renew it until it is released. `false` for leases that must end by themselves. @default true */
  readonly renew?: boolean
  /** Higher goes first among those who wait; -1000 to 1000. @default 0 */
  readonly priority?: number
  /** Anything that JSON holds, at most 4 kB: shown by the monitor. */
  readonly meta?: unknown
}

export interface AcquireOptions extends TryOptions {
  /** How long to wait before `LOCK_TIMEOUT`. @default of the coordinator (30 s) */
  readonly waitMs?: number
}

/** Everything that can be held. */
export interface Lock {
  readonly name: string
  /** Waits, and throws `LOCK_TIMEOUT` when it took too long. */
  acquire(options?: AcquireOptions): Promise<Lease>
  tryAcquire(options?: TryOptions): Promise<Lease | Busy>
  /** Runs `work` under the lock, releases it on every way out. Throws `LEASE_LOST` when it was lost before `work` ended well. */
  run<T>(work: (lease: Lease) => Promise<T> | T, options?: AcquireOptions): Promise<T>
  /** Runs `work` when the lock is free now; otherwise says who has it. */
  runIfFree<T>(work: (lease: Lease) => Promise<T> | T, options?: TryOptions): Promise<RunIfFree<T>>
}

export type RunIfFree<T> =
  | { readonly ran: true; readonly value: T }
  | { readonly ran: false; readonly holder?: HolderInfo; readonly retryAfterMs?: number }
