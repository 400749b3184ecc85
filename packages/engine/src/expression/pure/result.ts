import type { Json } from '@lockstep/base'
import { ExpressionLimit, type ExpressionLimitName, shownSource } from '../errors.ts'
import { OUTPUT_BYTES, OUTPUT_DEPTH } from '../limits.ts'
import { measureJson, WIDEST_CHARACTER } from './size.ts'

/**
 * The answer as `JSON.stringify` and back would give it, with the limits that the sandbox has. Data that is JSON already
 * is handed out as it is: parts of the scope are shared, not copied.
 */
export function toAnswer(value: unknown, source: string, outputBytes: number = OUTPUT_BYTES): Json {
  switch (typeof value) {
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value + 0 : null
    case 'undefined':
      return null
    case 'string':
      if (value.length * WIDEST_CHARACTER < outputBytes) return value
  }
  if (value === null) return null

  const size = measureJson(value, outputBytes)
  if (size.least > outputBytes) throw over('output', source)
  if (size.depth > OUTPUT_DEPTH) throw over('depth', source)
  if (size.exact && size.most < outputBytes) return value as Json
  const text = JSON.stringify(value)
  if (Buffer.byteLength(text) > outputBytes) throw over('output', source)
  return size.exact ? (value as Json) : (JSON.parse(text) as Json)
}

function over(limit: ExpressionLimitName, source: string): Error {
  return new ExpressionLimit({ expression: shownSource(source), limit })
}
