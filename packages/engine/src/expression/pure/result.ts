import type { Json } from '@lockstep/base'
import { ExpressionLimit, shownSource } from '../errors.ts'
import { OUTPUT_BYTES, OUTPUT_DEPTH } from '../limits.ts'

/** One character of text never takes more in JSON: `\u0000`. */
const WIDEST = 6

interface Tally {
  /** The JSON of the value is at most this long. */
  bytes: number
  depth: number
  /** Nothing that JSON would drop or change. */
  exact: boolean
}

/**
 * The answer as `JSON.stringify` and back would give it, with the limits that the sandbox has. Data that is JSON already
 * is handed out as it is: parts of the scope are shared, not copied.
 */
export function toAnswer(value: unknown, source: string): Json {
  if (typeof value === 'string' ? value.length * WIDEST < OUTPUT_BYTES : typeof value === 'boolean')
    return value as Json
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null
  if (value === undefined || value === null) return null

  const tally: Tally = { bytes: 0, depth: 0, exact: true }
  measure(value, 0, tally)
  if (tally.depth > OUTPUT_DEPTH) throw new ExpressionLimit({ expression: shownSource(source), limit: 'depth' })
  if (tally.exact && tally.bytes < OUTPUT_BYTES) return value as Json
  const text = JSON.stringify(value)
  if (Buffer.byteLength(text) > OUTPUT_BYTES)
    throw new ExpressionLimit({ expression: shownSource(source), limit: 'output' })
  return tally.exact ? (value as Json) : (JSON.parse(text) as Json)
}

function measure(value: unknown, depth: number, tally: Tally): void {
  switch (typeof value) {
    case 'string':
      tally.bytes += value.length * WIDEST + 3
      return
    case 'number':
      tally.bytes += 26
      if (!Number.isFinite(value) || Object.is(value, -0)) tally.exact = false
      return
    case 'undefined':
      tally.bytes += 5
      tally.exact = false
      return
    case 'object':
      if (value === null) tally.bytes += 5
      else measureMembers(value, depth + 1, tally)
      return
    default:
      tally.bytes += 6
  }
}

function measureMembers(value: object, depth: number, tally: Tally): void {
  if (depth > tally.depth) tally.depth = depth
  if (depth > OUTPUT_DEPTH) return
  tally.bytes += 3
  if (Array.isArray(value)) {
    for (const item of value as unknown[]) measure(item, depth, tally)
    return
  }
  for (const key of Object.keys(value)) {
    tally.bytes += key.length * WIDEST + 4
    measure((value as Record<string, unknown>)[key], depth, tally)
  }
}
