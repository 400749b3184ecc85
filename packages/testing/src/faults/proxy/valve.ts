/** `requests` travel from the client to the server, `replies` back. */
export type Direction = 'requests' | 'replies'

export const DIRECTIONS: readonly Direction[] = ['requests', 'replies']

/** Bytes that may pass now, or when to ask again. */
export type Admission = number | { readonly retryInMs: number }

/**
 * What one fault does to one direction of one connection. A lane asks all its valves: delays add up, the narrowest
 * admission wins, one shut valve holds everything.
 */
export interface Valve {
  /** While true nothing passes, not even the end of the stream, and the sender is not read from. */
  readonly shut?: boolean
  /** Milliseconds added to the journey of what arrives now. */
  delayMs?(): number
  /** Asked before `wanted` bytes (at least one) are handed over. */
  admit?(wanted: number): Admission
  /** Told after `count` bytes were handed to the receiver. */
  passed?(count: number): void
  /** Takes bytes instead of the receiver; 0 stands for the end of the stream. */
  swallow?(count: number): void
}
