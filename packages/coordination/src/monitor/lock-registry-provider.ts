import type { LockKind, Share } from '../lease/lease-provider.ts'

/** Looks at locks and changes them from outside. Every read is bounded; nothing walks the whole key space. */
export interface LockRegistryProvider {
  /** Locks that are held or waited for, by name, after `after`. */
  list(page: LockPageRequest): Promise<LockPage>
  /** `undefined`: nobody holds it or waits for it. A semaphore whose permits were set by `resize` is always known. */
  read(name: string): Promise<LockState | undefined>
  /** Who held it lately, newest first: grants, releases, losses, breaks. Bounded by the store. */
  history(name: string, limit: number): Promise<readonly LockEvent[]>
  /** Ends every lease of the lock, tells the holders, raises the fence, writes the audit, and hands it to the next who wait. */
  break(name: string, why: Intervention): Promise<readonly LockHolder[]>
  /** Asks the holders to give it up. Answers whom it told. */
  requestYield(name: string, why: Intervention): Promise<readonly LockHolder[]>
  /** Sets the permits of a semaphore, for good; what is held above the new number is not taken away. Grants what fits now. */
  resize(name: string, max: number): Promise<void>
}

export interface Intervention {
  readonly reason: string
  /** Who does it, for the audit. */
  readonly by: string
}

export interface LockPageRequest {
  readonly prefix: string
  readonly after?: string
  readonly limit: number
}

export interface LockPage {
  readonly locks: readonly LockState[]
  /** Absent: this was the last page. */
  readonly next?: string
}

export interface LockState {
  readonly name: string
  readonly kind: LockKind
  readonly holders: readonly LockHolder[]
  /** The first of those who wait, in their order; `waitingCount` has them all. */
  readonly waiters: readonly LockWaiter[]
  readonly waitingCount: number
  /** Permits of a semaphore. */
  readonly max?: number
}

export interface LockHolder {
  readonly token: string
  readonly holder: string
  readonly share: Share
  readonly fence: bigint
  /** Times of the store, milliseconds since 1970. */
  readonly acquiredAt: number
  readonly expiresAt: number
}

export interface LockWaiter {
  readonly token: string
  readonly holder: string
  readonly share: Share
  readonly priority: number
  readonly since: number
}

export interface LockEvent {
  readonly at: number
  readonly kind: 'granted' | 'released' | 'expired' | 'broken'
  readonly holder: string
  readonly fence: bigint
  readonly reason?: string
  readonly by?: string
}
