/** Closed catalogue: the reference page lists these. */
export type ScheduleProblemCode =
  | 'MISSING_FIELD'
  | 'UNKNOWN_FIELD'
  | 'WRONG_TYPE'
  | 'VALUE_NOT_ALLOWED'
  | 'OUT_OF_RANGE'
  | 'INVALID_ID'
  | 'AMBIGUOUS_TRIGGER'
  | 'AMBIGUOUS_TARGET'
  | 'INVALID_CRON'
  | 'UNKNOWN_ZONE'
  | 'INVALID_DURATION'
  | 'INVALID_INSTANT'
  | 'INVALID_DATE'
  | 'EMPTY_RANGE'
  // warnings
  | 'NEVER_FIRES'
  | 'EITHER_DAY_MATCHES'
  | 'CATCH_UP_OVERLAPS'
  | 'NO_EFFECT'

export interface ScheduleProblem {
  /** RFC 6901, into the document. */
  readonly pointer: string
  readonly code: ScheduleProblemCode
  /** Names the field and what to do about it. */
  readonly text: string
  /** A schedule with errors cannot be saved; warnings are the author's choice. */
  readonly severity: 'error' | 'warning'
}

export const problem = (pointer: string, code: ScheduleProblemCode, text: string): ScheduleProblem => ({
  pointer,
  code,
  text,
  severity: 'error',
})

/** For whoever is about to save it: what never fires is a mistake, however well it is written. */
export const whenSaved = (found: ScheduleProblem): ScheduleProblem =>
  found.code === 'NEVER_FIRES' ? { ...found, severity: 'error' } : found

export const warning = (pointer: string, code: ScheduleProblemCode, text: string): ScheduleProblem => ({
  ...problem(pointer, code, text),
  severity: 'warning',
})
