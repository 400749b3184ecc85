import { NotJson } from '../error/errors.ts'

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Deeper values overflow stacks, ours and those of whoever reads them. */
const DEEPEST = 500

/**
 * The value as JSON would carry it: `undefined` members dropped, dates as text. Throws `NOT_JSON` with the place of the
 * first thing that would be lost silently (functions, symbols, bigints, NaN, cycles).
 */
export function toJson(value: unknown): Json {
  return convert(value, '', [])
}

function convert(value: unknown, pointer: string, above: readonly object[]): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      if (!Number.isFinite(value)) throw new NotJson({ pointer, found: String(value) })
      return value
    case 'undefined':
      return null
    case 'object':
      return value === null ? null : convertObject(value, pointer, above)
    default:
      throw new NotJson({ pointer, found: `a ${typeof value}` })
  }
}

function convertObject(value: object, pointer: string, above: readonly object[]): Json {
  if (above.length >= DEEPEST)
    throw new NotJson({ pointer: `${pointer.slice(0, 80)}…`, found: `nested more than ${DEEPEST} deep` })
  if (above.includes(value)) throw new NotJson({ pointer, found: 'a reference to something that contains it' })
  if ('toJSON' in value && typeof value.toJSON === 'function') return convert(value.toJSON(), pointer, above)
  const path = [...above, value]
  if (Array.isArray(value)) return value.map((item, index) => convert(item, `${pointer}/${index}`, path))
  const result: Record<string, Json> = {}
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue
    const json = convert(member, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, path)
    if (key === '__proto__')
      Object.defineProperty(result, key, { value: json, enumerable: true, writable: true, configurable: true })
    else result[key] = json
  }
  return result
}
