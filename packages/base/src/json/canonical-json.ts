import { createHash } from 'node:crypto'
import type { Json, JsonObject } from './json.ts'

/** RFC 8785: members sorted by UTF-16 code unit, no white space. Equal values give equal text whatever order they were built in. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value === 'object' && value !== null) return canonicalObject(value as JsonObject)
  return JSON.stringify(value)
}

function canonicalObject(value: JsonObject): string {
  const members = Object.keys(value)
    .sort(byCodeUnit)
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key]!)}`)
  return `{${members.join(',')}}`
}

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** SHA-256 of the canonical text, in hex. */
export function hashJson(value: Json): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex')
}
