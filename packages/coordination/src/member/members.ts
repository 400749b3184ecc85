import type { Member } from './member-provider.ts'

/** The beat of one coordinator, and those whom it sees. */
export interface Members {
  readonly self: Member
  /** Those who live now, by the store's clock. */
  list(): Promise<readonly Member[]>
  /** Begins to beat; repeating it is harmless. */
  start(): void
  /** Stops the beat and leaves. Never throws: a store that cannot be reached forgets us by itself. */
  stop(): Promise<void>
}
