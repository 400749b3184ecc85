import { parseDuration } from '@lockstep/base'
import type { DurationText } from '../document.ts'
import type { ActivityEntry, DocumentIndex } from '../document-index.ts'
import { type GraphProblem, problem, warning } from '../graph-problem.ts'
import { pointerTo } from '../json-pointer.ts'
import { isDuration } from '../json-schema.ts'
import { checkStepPolicies } from './check-step-policies.ts'

/** Durations, back-off, and policies that cannot work where they stand. */
export function* checkPolicies(index: DocumentIndex): Generator<GraphProblem> {
  for (const entry of index.activities) {
    const { document, pointer, id, type } = entry
    const { timeout, retry } = document
    yield* checkDuration(pointerTo(pointer, 'timeout'), 'timeout', timeout)
    yield* checkEffect(entry)
    yield* checkStepPolicies(entry)
    if (retry === undefined) continue
    if (type?.kind === 'container') {
      yield problem(
        pointerTo(pointer, 'retry'),
        'RETRY_ON_CONTAINER',
        `"${id}" is a container and cannot be retried: put "retry" on the steps inside`,
      )
    }
    const { initial, max } = retry.backoff ?? {}
    const backoff = pointerTo(pointer, 'retry', 'backoff')
    yield* checkDuration(pointerTo(backoff, 'initial'), 'initial', initial)
    yield* checkDuration(pointerTo(backoff, 'max'), 'max', max)
    if (initial === undefined || max === undefined || !isDuration(initial) || !isDuration(max)) continue
    if (parseDuration(max) < parseDuration(initial)) {
      yield problem(
        pointerTo(backoff, 'max'),
        'INVALID_BACKOFF',
        `"max" (${max}) is less than "initial" (${initial}): raise it`,
      )
    }
  }
}

/** Whether there is a transaction is the code's doing: a document can neither add nor remove it. */
function* checkEffect({ document: { effect }, pointer, id, type }: ActivityEntry): Generator<GraphProblem> {
  if (effect === undefined || type === undefined) return
  const place = pointerTo(pointer, 'effect')
  if (effect === 'transactional' && type.runs !== 'transaction') {
    yield problem(
      place,
      'EFFECT_NOT_SUPPORTED',
      `"${id}" (${type.type}) has no code that runs inside a transaction: remove "effect", or use an activity that has`,
    )
  }
  if (effect !== 'transactional' && type.runs === 'transaction') {
    yield warning(
      place,
      'EFFECT_NOT_SUPPORTED',
      `"${id}" (${type.type}) always commits together with its step, so "${effect}" changes nothing: remove it`,
    )
  }
}

function* checkDuration(pointer: string, field: string, value: DurationText | undefined): Generator<GraphProblem> {
  if (value === undefined || isDuration(value)) return
  yield problem(
    pointer,
    'INVALID_DURATION',
    `"${field}" is no duration: write 500ms, 30s, 5m, 2h, 7d or ISO 8601 such as PT15M, not ${JSON.stringify(value)}`,
  )
}
