import type { TimedBeat } from '@lockstep/engine/ports'

/** What the thread is started with. */
export interface HeartStart {
  readonly url: string
  readonly schema: string
  readonly pooler: boolean
  /** `application_name` of its connection. */
  readonly application: string
  readonly nodeId: string
  readonly heartbeatMs: number
  readonly ttlMs: number
  /** Three whole numbers; see `PULSE` and those behind it. */
  readonly shared: SharedArrayBuffer
}

/** Counts turns of the main loop. */
export const PULSE = 0
/** Instances in hand. */
export const HELD = 1
/** Place of the node's state in `nodeStates`. */
export const STATE = 2

export const SHARED_BYTES = 3 * Int32Array.BYTES_PER_ELEMENT

export type FromHeart =
  /** It has a connection and beats from now on. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'beat'; readonly timed: TimedBeat }
  | { readonly kind: 'failed'; readonly code: string | undefined; readonly reason: string }
