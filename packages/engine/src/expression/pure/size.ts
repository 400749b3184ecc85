import { OUTPUT_DEPTH } from '../limits.ts'
import { LEAVE } from './frame.ts'

/** One character of text never takes more in JSON: `\\u0000`. */
export const WIDEST_CHARACTER = 6

export interface JsonSize {
  /** Characters that the JSON of the value has at least, and at most. */
  least: number
  most: number
  depth: number
  dropped: number
  readonly mostDropped: number
  /** Nothing in it that JSON would drop or change. */
  exact: boolean
}

/**
 * Measures without writing. Stops where `limit` or the allowed depth is passed: values may share their parts, and a few
 * shared ones can stand for more JSON than there is memory.
 */
export function measureJson(value: unknown, limit: number, mostDropped = limit): JsonSize {
  const size: JsonSize = { least: 0, most: 0, depth: 0, dropped: 0, mostDropped, exact: true }
  measure(value, 0, size, limit)
  return size
}

function count(size: JsonSize, least: number, most: number): void {
  size.least += least
  size.most += most
}

/** A member that JSON leaves out adds nothing to its length, but looking at it is work. */
function drop(size: JsonSize): void {
  size.exact = false
  size.dropped++
  if (size.dropped > size.mostDropped) throw LEAVE
}

function measure(value: unknown, depth: number, size: JsonSize, limit: number): void {
  switch (typeof value) {
    case 'string':
      count(size, value.length + 2, value.length * WIDEST_CHARACTER + 3)
      return
    case 'number':
      count(size, 1, 26)
      if (!Number.isFinite(value) || Object.is(value, -0)) size.exact = false
      return
    case 'undefined':
      count(size, 1, 5)
      size.exact = false
      return
    case 'object':
      if (value === null) count(size, 4, 5)
      else measureMembers(value, depth + 1, size, limit)
      return
    default:
      count(size, 4, 6)
  }
}

function measureMembers(value: object, depth: number, size: JsonSize, limit: number): void {
  if (depth > size.depth) size.depth = depth
  if (depth > OUTPUT_DEPTH) return
  count(size, 2, 3)
  if (Array.isArray(value)) {
    for (const item of value as unknown[]) {
      if (size.least > limit || size.depth > OUTPUT_DEPTH) return
      measure(item, depth, size, limit)
    }
    return
  }
  for (const key of Object.keys(value)) {
    if (size.least > limit || size.depth > OUTPUT_DEPTH) return
    const member = (value as Record<string, unknown>)[key]
    if (member === undefined) {
      drop(size)
      continue
    }
    count(size, key.length + 3, key.length * WIDEST_CHARACTER + 4)
    measure(member, depth, size, limit)
  }
}
