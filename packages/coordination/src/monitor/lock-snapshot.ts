import type { LockKind, Share } from '../lease/lease-provider.ts'

/** A lock as it stood, for the search for deadlocks. */
export interface LockSnapshot {
  readonly name: string
  readonly kind: LockKind
  readonly max?: number
  readonly holders: readonly Stake[]
  /** In the order of the queue. */
  readonly waiters: readonly Stake[]
}

export interface Stake {
  readonly actor: Actor
  readonly token: string
  readonly share: Share
}

export interface Actor {
  readonly id: string
  /** It named itself: one task that holds and waits, and cannot make room for itself. A process can, in another task. */
  readonly named: boolean
}

export interface WaitFact {
  readonly actor: Actor
  readonly lock: LockSnapshot
  readonly share: Share
  readonly holders: readonly Stake[]
  readonly ahead: readonly Stake[]
}
