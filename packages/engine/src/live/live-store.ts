import type { LiveCursor, LiveEvent } from './live-event.ts'

export interface LivePage {
  readonly events: readonly LiveEvent[]
  /** Where to read on. */
  readonly next: LiveCursor
  /** There may be more: nothing is known of what stands behind `next`. */
  readonly more: boolean
}

export interface LiveSpan {
  /** Everything before it is decided: no commit can come there any more. */
  readonly horizon: LiveCursor
  /** The oldest place from which nothing is missing. */
  readonly oldest: LiveCursor
}

/** What was committed, in the order of commits. It ends where transactions are still open, so that none of them can be overtaken. */
export interface LiveStore {
  span(): Promise<LiveSpan>
  /** `withFacts`: of instances too. There are far more of them than of anything else. */
  read(after: LiveCursor, limit: number, withFacts: boolean): Promise<LivePage>
}
