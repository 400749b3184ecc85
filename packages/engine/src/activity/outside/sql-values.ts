import { isJsonObject, type Json, type JsonObject } from '@lockstep/base'
import type { SqlRow } from '../../outbound/sql-connections.ts'

/** JSON values as parameters: objects, and lists that hold any, are JSON; a list of plain values is an array. */
export function parametersOf(given: Json | undefined): readonly unknown[] {
  return (Array.isArray(given) ? given : []).map((value: Json) => {
    if (isJsonObject(value)) return JSON.stringify(value)
    return Array.isArray(value) && value.some(isJsonObject) ? JSON.stringify(value) : value
  })
}

/** Rows as JSON can hold them: bytes as base64, what JSON has no number for as text. */
export function rowsToJson(rows: readonly SqlRow[]): readonly JsonObject[] {
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cellOf(value)])))
}

function cellOf(value: unknown): Json {
  switch (typeof value) {
    case 'bigint':
      return String(value)
    case 'number':
      return Number.isFinite(value) ? value : String(value)
    case 'undefined':
      return null
    case 'object':
      if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
      if (value instanceof Date) return value.toISOString()
      return Array.isArray(value) ? value.map(cellOf) : (value as Json)
    default:
      return value as Json
  }
}
