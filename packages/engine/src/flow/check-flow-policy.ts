/** Whether a policy makes sense, beyond its shape: durations, expressions, and members that cannot stand side by side. Pure. */
import { isJsonObject, type Json, parseDuration } from '@lockstep/base'
import { type GraphProblem, problem } from '../graph/graph-problem.ts'
import { pointerTo } from '../graph/json-pointer.ts'
import { isDuration } from '../graph/json-schema.ts'
import type { ParseExpression } from '../graph/parse-expression.ts'
import { DECLARED, KEYED_MEMBERS } from './flow-policy.ts'

export interface FlowCheckOptions {
  readonly parse: ParseExpression | undefined
  /** Where the code has a function for a value: `"declared"` may stand there. */
  readonly declares?: (pointer: string) => boolean
}

const DURATIONS = [
  ['rate', 'per'],
  ['throttle', 'per'],
  ['debounce', 'wait'],
  ['debounce', 'max'],
  ['batch', 'wait'],
  ['ageing'],
] as const

/** Of a policy that has the right shape. */
export function* checkFlowPolicy(policy: Json, at: string, options: FlowCheckOptions): Generator<GraphProblem> {
  if (!isJsonObject(policy)) return
  for (const path of DURATIONS) yield* checkSpan(policy, path, at)
  for (const name of KEYED_MEMBERS) {
    const { key } = objectAt(policy, name)
    if (key !== undefined) yield* checkValue(key, pointerTo(at, name, 'key'), options)
  }
  const { priority } = policy
  if (priority !== undefined && typeof priority !== 'number')
    yield* checkValue(priority, pointerTo(at, 'priority'), options)
  yield* checkTogether(policy, at)
}

function* checkSpan(policy: Json, path: readonly string[], at: string): Generator<GraphProblem> {
  const value = path.reduce<Json | undefined>((from, name) => (isJsonObject(from) ? from[name] : undefined), policy)
  if (value === undefined) return
  const [field, pointer] = [path.at(-1), pointerTo(at, ...path)]
  if ((typeof value !== 'string' && typeof value !== 'number') || !isDuration(value))
    yield problem(
      pointer,
      'INVALID_DURATION',
      `"${field}" is no duration: write 500ms, 30s, 5m, 2h, 7d or ISO 8601 such as PT15M, not ${JSON.stringify(value)}`,
    )
  else if (parseDuration(value) < 1) yield problem(pointer, 'OUT_OF_RANGE', `"${field}" must be longer than nothing`)
}

function* checkValue(value: Json, pointer: string, { parse, declares }: FlowCheckOptions): Generator<GraphProblem> {
  if (value === DECLARED) {
    if (declares?.(pointer) === true) return
    yield problem(
      pointer,
      'VALUE_NOT_ALLOWED',
      '"declared" names a function of the code, and the code has none here: write { "$expr": "input.…" }',
    )
    return
  }
  const source = isJsonObject(value) && Object.keys(value).length === 1 ? value.$expr : undefined
  if (typeof source !== 'string') {
    yield problem(pointer, 'MALFORMED_EXPRESSION', 'An expression is { "$expr": "input.…" } and nothing else')
    return
  }
  if (parse === undefined) return
  const { problem: fault, references } = parse(source)
  if (fault !== undefined)
    yield problem(
      pointer,
      'INVALID_EXPRESSION',
      `The expression cannot be read: ${fault.reason} (line ${fault.line}, column ${fault.column})`,
    )
  const foreign = references.find((name) => name !== 'input')
  if (foreign !== undefined)
    yield problem(pointer, 'NAME_OUT_OF_SCOPE', `"${foreign}" does not exist before the start: use "input" alone`)
}

function* checkTogether(policy: Json & object, at: string): Generator<GraphProblem> {
  const has = (name: string): boolean => Object.hasOwn(policy, name)
  if (has('debounce') && has('batch'))
    yield problem(pointerTo(at, 'batch'), 'VALUE_NOT_ALLOWED', '"debounce" and "batch" exclude each other: keep one')
  const gathers = has('debounce') ? 'debounce' : has('batch') ? 'batch' : undefined
  if (gathers !== undefined && has('singleton') && objectAt(policy, 'singleton').onBusy !== 'queue')
    yield problem(
      pointerTo(at, 'singleton', 'onBusy'),
      'VALUE_NOT_ALLOWED',
      `Beside "${gathers}" only "queue" works: nobody is there to be answered when it starts`,
    )
  const { wait, max } = objectAt(policy, 'debounce')
  if (isSpan(wait) && isSpan(max) && parseDuration(max) < parseDuration(wait))
    yield problem(
      pointerTo(at, 'debounce', 'max'),
      'OUT_OF_RANGE',
      `"max" (${max}) is less than "wait" (${wait}): raise it`,
    )
}

const isSpan = (value: Json | undefined): value is string | number =>
  (typeof value === 'string' || typeof value === 'number') && isDuration(value)

function objectAt(policy: Json, name: string): { readonly [key: string]: Json } {
  const value = isJsonObject(policy) ? policy[name] : undefined
  return isJsonObject(value) ? value : {}
}
