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
  return convert(value, undefined, '')
}

/** What a value stands in. Where that is in words is only made up for an error: every input and output passes here. */
interface Holder {
  readonly value: object
  readonly above: Holder | undefined
  /** Where it stands in what is above it. */
  readonly key: string | number
  readonly depth: number
}

function convert(value: unknown, above: Holder | undefined, key: string | number): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      if (!Number.isFinite(value)) throw new NotJson({ pointer: pointerTo(above, key), found: String(value) })
      return value
    case 'undefined':
      return null
    case 'object':
      return value === null ? null : convertObject(value, above, key)
    default:
      throw new NotJson({ pointer: pointerTo(above, key), found: `a ${typeof value}` })
  }
}

function convertObject(value: object, above: Holder | undefined, key: string | number): Json {
  const depth = above === undefined ? 0 : above.depth + 1
  if (depth >= DEEPEST) {
    const pointer = `${pointerTo(above, key).slice(0, 80)}…`
    throw new NotJson({ pointer, found: `nested more than ${DEEPEST} deep` })
  }
  for (let holder = above; holder !== undefined; holder = holder.above)
    if (holder.value === value)
      throw new NotJson({ pointer: pointerTo(above, key), found: 'a reference to something that contains it' })
  if ('toJSON' in value && typeof value.toJSON === 'function') return convert(value.toJSON(), above, key)
  const here: Holder = { value, above, key, depth }
  if (Array.isArray(value)) return value.map((item, index) => convert(item, here, index))
  const result: Record<string, Json> = {}
  for (const name of Object.keys(value)) {
    const member = (value as Readonly<Record<string, unknown>>)[name]
    if (member === undefined) continue
    const json = convert(member, here, name)
    if (name === '__proto__')
      Object.defineProperty(result, name, { value: json, enumerable: true, writable: true, configurable: true })
    else result[name] = json
  }
  return result
}

function pointerTo(above: Holder | undefined, key: string | number): string {
  if (above === undefined) return ''
  return `${pointerTo(above.above, above.key)}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`
}
