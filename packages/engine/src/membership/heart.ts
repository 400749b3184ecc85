import type { Beat, NodeReport } from '../store/membership-store.ts'

/** An answered beat. Both instants are by the wall clock of this node: they tell how far it is from the store's. */
export interface TimedBeat {
  readonly beat: Beat
  readonly sentAt: number
  readonly receivedAt: number
}

export interface HeartbeatOptions {
  readonly nodeId: string
  readonly heartbeatMs: number
  readonly ttlMs: number
  readonly onBeat: (beat: TimedBeat) => void
  /** A beat was not answered. */
  readonly onFailure: (failure: { readonly code: string | undefined; readonly reason: string }) => void
}

/**
 * Beats for a node from beside its main loop, so that a busy loop is not taken for a dead node. It goes on only as long as the loop
 * proves that it turns: a node that is stuck for good must be buried.
 */
export interface Heart {
  begin(options: HeartbeatOptions): Heartbeat
}

export interface Heartbeat {
  /** The main loop turns, and this is what it has to say. `false`: nobody beats there at the moment, so the loop must. */
  pulse(report: NodeReport): boolean
  stop(): void
}

/** Where the main loop beats by itself. */
export const noHeart: Heart = { begin: () => ({ pulse: () => false, stop: () => {} }) }
