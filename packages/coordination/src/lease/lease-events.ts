import type { HolderInfo, LostReason } from './lease.ts'
import type { LockKind } from './lease-provider.ts'

/** What happens to leases of one coordinator, for statistics, tracing and debugging. Times come from the monotonic clock. */
export type LeaseEvent = LeaseEventSubject & LeaseHappening

export type LeaseHappening =
  | { readonly type: 'asked' }
  /** `contended`: it did not get it at the first asking. */
  | { readonly type: 'granted'; readonly fence: bigint; readonly waitedMs: number; readonly contended: boolean }
  | { readonly type: 'released'; readonly fence: bigint; readonly heldMs: number }
  | { readonly type: 'lost'; readonly fence: bigint; readonly heldMs: number; readonly reason: LostReason }
  /** A renewal came through when less than a third of the lease's life was left. */
  | { readonly type: 'renewed-late'; readonly fence: bigint; readonly leftMs: number }
  /** It was held, and the caller did not want to wait. */
  | { readonly type: 'refused'; readonly holder?: HolderInfo }
  | { readonly type: 'timed-out'; readonly waitedMs: number; readonly holder?: HolderInfo }
  /** The caller aborted, or the store could not be asked. */
  | { readonly type: 'failed'; readonly waitedMs: number; readonly error: unknown }

export interface LeaseEventSubject {
  /** Of one `acquire` or `tryAcquire`, within this coordinator: joins `asked` with what became of it. */
  readonly attempt: number
  readonly name: string
  readonly kind: LockKind
}

export type LeaseObserver = (event: LeaseEvent) => void

/** Tells observers. Whoever reports often asks `watched` first, so that nothing is built when nobody looks. */
export class LeaseEvents {
  readonly #observers = new Set<LeaseObserver>()

  get watched(): boolean {
    return this.#observers.size > 0
  }

  /** Answers how to stop. What an observer throws is its own business and stops nobody. */
  observe(observer: LeaseObserver): () => void {
    this.#observers.add(observer)
    return () => void this.#observers.delete(observer)
  }

  report(
    attempt: number,
    { name, kind }: { readonly name: string; readonly kind: LockKind },
    happening: LeaseHappening,
  ): void {
    if (!this.watched) return
    const event: LeaseEvent = { attempt, name, kind, ...happening }
    for (const observer of this.#observers) {
      try {
        observer(event)
      } catch {
        // An observer only looks: a fault in it must not reach the holder of a lock.
      }
    }
  }
}
