import { parseDuration } from '@lockstep/base'
import type { DurationText } from '../document.ts'
import type { ActivityEntry } from '../document-index.ts'
import { type GraphProblem, problem } from '../graph-problem.ts'
import { pointerTo } from '../json-pointer.ts'
import { isDuration } from '../json-schema.ts'

const POLICIES = ['lock', 'limit', 'breaker', 'heartbeatTimeout'] as const

/** What a step asks for before it may run. */
export function* checkStepPolicies(entry: ActivityEntry): Generator<GraphProblem> {
  const { document, pointer } = entry
  yield* checkPlace(entry)
  const { lock, limit, breaker, heartbeatTimeout } = document
  if (typeof lock === 'object' && !('name' in lock) && !('$expr' in lock))
    yield problem(pointerTo(pointer, 'lock'), 'MISSING_FIELD', '"lock" needs "name": add it')
  if (limit !== undefined && limit.concurrency === undefined && limit.rate === undefined)
    yield problem(
      pointerTo(pointer, 'limit'),
      'INVALID_POLICY',
      '"limit" bounds nothing: add "concurrency", "rate" or both',
    )
  yield* checkPositive(pointerTo(pointer, 'limit', 'rate', 'per'), 'per', limit?.rate?.per)
  yield* checkPositive(pointerTo(pointer, 'breaker', 'window'), 'window', breaker?.window)
  yield* checkPositive(pointerTo(pointer, 'breaker', 'openFor'), 'openFor', breaker?.openFor)
  yield* checkPositive(pointerTo(pointer, 'heartbeatTimeout'), 'heartbeatTimeout', heartbeatTimeout)
}

/** They guard the code of one attempt: what has no such code has nothing to guard. */
function* checkPlace({ document, pointer, id, type }: ActivityEntry): Generator<GraphProblem> {
  if (type === undefined || type.runs === 'effect') return
  for (const policy of POLICIES) {
    if (document[policy] === undefined) continue
    if (type.runs === 'transaction' && policy !== 'heartbeatTimeout') continue
    const fix =
      type.kind === 'container'
        ? 'put it on the steps inside'
        : type.runs === 'transaction'
          ? 'use "timeout": its code runs inside a transaction, which is short'
          : 'remove it'
    yield problem(
      pointerTo(pointer, policy),
      'POLICY_NOT_SUPPORTED',
      `"${id}" (${type.type}) cannot have "${policy}", which is for steps that run code outside: ${fix}`,
    )
  }
}

function* checkPositive(pointer: string, field: string, value: DurationText | undefined): Generator<GraphProblem> {
  if (value === undefined) return
  if (!isDuration(value))
    yield problem(
      pointer,
      'INVALID_DURATION',
      `"${field}" is no duration: write 500ms, 30s, 5m, 2h, 7d or ISO 8601 such as PT15M, not ${JSON.stringify(value)}`,
    )
  else if (parseDuration(value) < 1)
    yield problem(pointer, 'OUT_OF_RANGE', `"${field}" must be longer than nothing: write a duration such as 30s`)
}
