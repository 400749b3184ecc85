import type { ScheduleProblemCode } from '../schedule/schedule-problem.ts'

/** Closed catalogue: the reference page lists these. */
export type GraphProblemCode =
  // structure
  | 'MISSING_FIELD'
  | 'UNKNOWN_FIELD'
  | 'WRONG_TYPE'
  | 'VALUE_NOT_ALLOWED'
  | 'OUT_OF_RANGE'
  | 'INVALID_ID'
  | 'INVALID_NAME'
  | 'INVALID_SCHEMA'
  | 'TOO_MANY_ACTIVITIES'
  | 'TOO_DEEP'
  // activities
  | 'DUPLICATE_ID'
  | 'UNKNOWN_ACTIVITY_TYPE'
  | 'MISSING_BODY'
  | 'UNEXPECTED_BODY'
  | 'EMPTY_GRAPH'
  | 'TRY_WITHOUT_HANDLER'
  | 'TRIGGER_NOT_AT_START'
  | 'INVALID_DURATION'
  | 'INVALID_BACKOFF'
  | 'RETRY_ON_CONTAINER'
  | 'EFFECT_NOT_SUPPORTED'
  | 'POLICY_NOT_SUPPORTED'
  | 'INVALID_POLICY'
  // flow
  | 'NO_START'
  | 'UNREACHABLE_ACTIVITY'
  | 'UNKNOWN_ACTIVITY'
  | 'CONNECTION_CROSSES_SCOPES'
  | 'UNKNOWN_OUTCOME'
  | 'DUPLICATE_CONNECTION'
  | 'FAILED_NOT_CONNECTED'
  | 'CIRCULAR_RUN'
  | 'NOT_IN_A_LOOP'
  | 'NOT_IN_COMPENSATION'
  | 'NOTHING_TO_COMPENSATE'
  // values
  | 'MISSING_INPUT'
  | 'UNKNOWN_INPUT'
  | 'INVALID_INPUT'
  | 'MALFORMED_EXPRESSION'
  | 'INVALID_EXPRESSION'
  | 'INVALID_SCRIPT'
  | 'INVALID_SECRET'
  | 'LITERAL_SECRET'
  | 'NOT_A_LITERAL'
  | 'UNKNOWN_STEP'
  | 'STEP_OUT_OF_SCOPE'
  | 'NAME_OUT_OF_SCOPE'
  | 'UNKNOWN_VARIABLE'
  | 'WRONG_VARIABLE_TYPE'
  // triggers
  | 'PATH_TAKEN'
  // of a trigger's schedule
  | ScheduleProblemCode

export interface GraphProblem {
  /** RFC 6901, into the document. */
  readonly pointer: string
  readonly code: GraphProblemCode
  /** Names the field and what to do about it. */
  readonly text: string
  /** A document with errors cannot be published; warnings are the author's choice. */
  readonly severity: 'error' | 'warning'
}

export const problem = (pointer: string, code: GraphProblemCode, text: string): GraphProblem => ({
  pointer,
  code,
  text,
  severity: 'error',
})

export const warning = (pointer: string, code: GraphProblemCode, text: string): GraphProblem => ({
  ...problem(pointer, code, text),
  severity: 'warning',
})

/** By place as a reader goes through the document (`/activities/9` before `/activities/10`), then by code and text. */
export function sortProblems(problems: Iterable<GraphProblem>): readonly GraphProblem[] {
  const keyed = [...problems].map((entry) => ({ entry, path: entry.pointer.split('/') }))
  keyed.sort(
    (a, b) =>
      comparePaths(a.path, b.path) || compare(a.entry.code, b.entry.code) || compare(a.entry.text, b.entry.text),
  )
  return keyed.map(({ entry }) => entry)
}

function comparePaths(a: readonly string[], b: readonly string[]): number {
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const order = compareSegments(a[at]!, b[at]!)
    if (order !== 0) return order
  }
  return a.length - b.length
}

const INDEX = /^\d+$/
const compareSegments = (a: string, b: string): number =>
  INDEX.test(a) && INDEX.test(b) ? Number(a) - Number(b) : compare(a, b)

// Not localeCompare: the order must be the same on every machine.
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
