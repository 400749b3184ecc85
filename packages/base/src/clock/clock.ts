/** A pending call. Cancelling one that ran already is no error. */
export interface Timer {
  cancel(): void
}

/**
 * Time, as the rest of the code may see it. The simulator owns its own.
 * Wall times of two nodes are never compared; durations come from `monotonic`.
 */
export interface Clock {
  /** Milliseconds since 1970 by this machine's clock. For display and ids only. */
  now(): number
  /** Milliseconds since some fixed moment; never goes back. */
  monotonic(): number
  /** Calls `run` once after `delayMs`. A timer does not keep the process alive unless `keepAlive` is set. */
  schedule(delayMs: number, run: () => void, options?: { readonly keepAlive?: boolean }): Timer
  /** Calls `run` after the current work, before any timer. */
  soon(run: () => void): void
}
