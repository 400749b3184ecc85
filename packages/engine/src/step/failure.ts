import { errorCode, errorMessage, type Json, toJson } from '@lockstep/base'
import { ExpressionLimit } from '../expression/errors.ts'
import type { Failure, StepKey } from '../journal/fact.ts'
import { PayloadTooLarge } from './payload.ts'

const LONGEST_MESSAGE = 4_000

/** What was thrown, as data that a journal can hold and a `catch` can read. Secrets go before it is cut: half of one is none that a mask knows. */
export function failureOf(error: unknown, step: StepKey, withoutSecrets: (text: string) => string): Failure {
  const data = dataOf(error)
  const limit = limitOf(error)
  return {
    code: errorCode(error) ?? (error instanceof Error && error.name !== 'Error' ? error.name : 'STEP_FAILED'),
    message: withoutSecrets(errorMessage(error)).slice(0, LONGEST_MESSAGE),
    step,
    ...(data === undefined ? {} : { data }),
    ...(limit === undefined ? {} : { limit }),
  }
}

/** The limit of the engine that it is a breach of. What a request was refused for is none. */
function limitOf(error: unknown): string | undefined {
  if (PayloadTooLarge.is(error)) return error.details.option?.replace('limits.', '')
  return ExpressionLimit.is(error) && error.details.limit === 'output' ? 'payloadBytes' : undefined
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
