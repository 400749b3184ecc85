import type { LeaseEvent } from '../lease/lease-events.ts'

/** What happened to leases of this process, for people who look for a fault. `at`: wall time of this machine. */
export type MonitorEvent = { readonly at: number } & (LeaseEvent | SlowEvent | InterventionEvent)

/** The mean wait of the last minute passed the threshold. Told once, and again only after it had fallen below. */
export interface SlowEvent {
  readonly type: 'slow'
  /** The lock at which it passed. */
  readonly name: string
  readonly pattern: string
  readonly meanWaitMs: number
  readonly thresholdMs: number
}

/** Somebody used this coordinator's monitor to break a lock, or to ask for it. */
export interface InterventionEvent {
  readonly type: 'broken' | 'yield-requested'
  readonly name: string
  readonly reason: string
  /** Node names of those who held it. */
  readonly holders: readonly string[]
}
