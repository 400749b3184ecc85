import type { Json } from '@lockstep/base'
import type { Failure, StepKey } from '../../journal/fact.ts'
import type { StepRecord } from '../graph-expression.ts'

/** What the expressions of a step could see, kept for a time when the scopes around it are gone. */
export interface Captured {
  /** Only what is read. */
  readonly steps: Record<string, StepRecord>
  readonly turn?: Turn
}

export interface Turn {
  readonly item?: Json
  readonly index?: number
}

/** A completed step that can be undone. */
export interface Compensation {
  readonly activity: string
  /** As of the moment at which the step completed. Absent once it was undone. */
  readonly captured?: Captured
  /** Absent: still to undo. */
  phase?: 'undoing' | 'undone'
}

/** The whole instance is being undone. Kept after its end: it says why, and how far that came. */
export interface Undoing {
  readonly cause: 'fault' | 'cancel'
  /** What compensations see as `error`; of a fault, what the instance ends with. */
  readonly error: Failure
  /** Cancelled without compensation: only those who linger are waited for. */
  readonly skips?: true
  /** Steps to undo; the last one is the next. */
  line: StepKey[]
}

/** How far the undoing of one step has come. */
export interface CompensationView {
  readonly step: StepKey
  readonly state: 'to-undo' | 'undoing' | 'undone' | 'failed'
}
