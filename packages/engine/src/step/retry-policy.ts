import { isJsonObject, parseDuration } from '@lockstep/base'
import type { RetryDocument } from '../graph/document.ts'
import { type Failure, isBreach } from '../journal/fact.ts'

export interface RetryPolicy {
  /** In all, the first one included. */
  readonly attempts: number
  readonly initialMs: number
  readonly factor: number
  readonly maxMs: number
  /** Share of each delay that is drawn at random, 0 to 1. */
  readonly jitter: number
  readonly nonRetryable: readonly string[]
}

const DEFAULT_JITTER = 0.2

export function resolveRetry(document: RetryDocument = { attempts: 1 }): RetryPolicy {
  const { attempts, backoff = {}, jitter = true, nonRetryable = [] } = document
  const { initial = '1s', factor = 2, max = '5m' } = backoff
  const share = jitter === true ? DEFAULT_JITTER : jitter === false ? 0 : jitter
  return { attempts, initialMs: parseDuration(initial), factor, maxMs: parseDuration(max), jitter: share, nonRetryable }
}

/**
 * How long to wait before the next attempt, or `undefined` when there is none left for this failure.
 * `attempt` is the one that failed, from 1; `random` is a number from 0 up to 1. Whoever refused may have said when to come back
 * (`retryAfterMs`): not before that, and at most a day later.
 */
export function retryDelayMs(
  policy: RetryPolicy,
  attempt: number,
  failure: Failure,
  random: number,
): number | undefined {
  if (attempt >= policy.attempts || policy.nonRetryable.includes(failure.code) || isBreach(failure)) return undefined
  const full = Math.min(policy.maxMs, policy.initialMs * policy.factor ** (attempt - 1))
  return Math.max(Math.round(full * (1 - policy.jitter * random)), askedToWaitMs(failure))
}

const LONGEST_ASKED_MS = 86_400_000

function askedToWaitMs({ data }: Failure): number {
  const asked = isJsonObject(data) ? data.retryAfterMs : undefined
  return typeof asked === 'number' && asked > 0 ? Math.min(Math.ceil(asked), LONGEST_ASKED_MS) : 0
}
