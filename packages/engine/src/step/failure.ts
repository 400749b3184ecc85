import { errorCode, errorMessage, type Json, toJson } from '@lockstep/base'
import type { Failure, StepKey } from '../journal/fact.ts'

const LONGEST_MESSAGE = 4_000

/** What was thrown, as data that a journal can hold and a `catch` can read. */
export function toFailure(error: unknown, step: StepKey): Failure {
  const data = dataOf(error)
  return {
    code: errorCode(error) ?? (error instanceof Error && error.name !== 'Error' ? error.name : 'STEP_FAILED'),
    message: errorMessage(error).slice(0, LONGEST_MESSAGE),
    step,
    ...(data === undefined ? {} : { data }),
  }
}

/** Details of an error of the catalogue, where they are plain data. */
function dataOf(error: unknown): Json | undefined {
  if (typeof error !== 'object' || error === null || !('details' in error)) return undefined
  try {
    return toJson(error.details)
  } catch {
    return undefined // details that JSON cannot hold are for logs only
  }
}
