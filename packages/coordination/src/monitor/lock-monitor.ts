import type { HolderInfo } from '../lease/lease.ts'
import type { LockKind, Share } from '../lease/lease-provider.ts'
import type { LockEvent } from './lock-registry-provider.ts'
import type { LockStats } from './lock-stats.ts'
import type { MonitorEvent } from './monitor-event.ts'
import type { WaitForGraph } from './wait-for-graph.ts'

/** Looks at the locks of the whole namespace, and keeps statistics of those that this process asked for. */
export interface LockMonitor {
  /** Locks that are held or waited for, in the order of their names. */
  list(page?: ListOptions): Promise<LockList>
  read(name: string): Promise<LockView | undefined>
  /** Those who wait, lock by lock, each in its order. Only the head of a process's own queue stands in the store. At most 1,000. */
  waiters(options?: { readonly prefix?: string; readonly limit?: number }): Promise<readonly WaiterView[]>
  /** Leases whose holder's member is gone: nobody renews them. Old is not stale. */
  stale(options?: { readonly prefix?: string }): Promise<readonly StaleLease[]>
  /** Newest first. */
  history(name: string, limit?: number): Promise<readonly LockHistoryEntry[]>
  /** Who waits for whom, over all locks (of `prefix`), and who waits in a circle. */
  graph(options?: { readonly prefix?: string }): Promise<WaitForGraph>
  /** Ends all leases of the lock, raises its fence, tells the holders, and hands it to the next. Audited. Answers whom it hit. */
  break(name: string, reason: string): Promise<readonly HolderView[]>
  /** Asks the holders to give it up: their `yieldSignal` aborts. Answers whom it told. */
  requestYield(name: string, reason: string): Promise<readonly HolderView[]>
  /** What this process saw, by pattern of names, the most asked first. */
  stats(pattern?: string): readonly LockStats[]
  /** The last events of this process, oldest first. */
  events(filter?: { readonly name?: string; readonly limit?: number }): readonly MonitorEvent[]
  /** Calls `listener` for every event; the answer ends it. */
  onEvent(listener: (event: MonitorEvent) => void): () => void
}

export interface ListOptions {
  /** @default '' */
  readonly prefix?: string
  /** The `next` of the page before. */
  readonly after?: string
  /** At most 1,000. @default 100 */
  readonly limit?: number
}

export interface LockList {
  readonly locks: readonly LockView[]
  /** Absent: this was the last page. */
  readonly next?: string
}

export interface LockView {
  readonly name: string
  readonly kind: LockKind
  readonly holders: readonly HolderView[]
  readonly waiters: readonly WaiterView[]
  /** All who wait; `waiters` has the first of them. */
  readonly waitingCount: number
  readonly max?: number
}

export interface HolderView {
  readonly lock: string
  readonly token: string
  /** Absent when what the store has cannot be read. */
  readonly holder?: HolderInfo
  readonly share: Share
  readonly fence: bigint
  /** Times of the store, milliseconds since 1970. */
  readonly acquiredAt: number
  readonly expiresAt: number
}

export interface WaiterView {
  readonly lock: string
  readonly token: string
  readonly holder?: HolderInfo
  readonly share: Share
  readonly priority: number
  readonly since: number
}

export interface StaleLease extends HolderView {
  readonly finding: string
}

export interface LockHistoryEntry extends Omit<LockEvent, 'holder'> {
  readonly holder?: HolderInfo
}
