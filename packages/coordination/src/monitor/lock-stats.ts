import type { Quantiles } from './histogram.ts'

/** Of one pattern of names, as one process saw it. */
export interface LockStats {
  /** The name with its ids replaced by `*`. */
  readonly pattern: string
  readonly asked: number
  readonly granted: number
  /** Tries that found it held. */
  readonly refused: number
  readonly timedOut: number
  /** Calls that ended with an error: the store was out of reach, the kind was wrong. */
  readonly failed: number
  readonly released: number
  readonly lost: number
  readonly lateRenewals: number
  /** Share of those who asked that did not get it at once: waited, refused or timed out. 0 to 1. */
  readonly contention: number
  /** From asking to having it. */
  readonly waitMs: Quantiles
  readonly holdMs: Quantiles
}
