import type { BoundedCount } from '@lockstep/engine/ports'
import { InvalidCursor } from '../problem/request-errors.ts'

/** Where a list goes on. Opaque to clients; it carries its filter, so that it cannot be used with another. */
export interface Cursor {
  /** Of the row that the page lies behind, or, with `back`, before. */
  readonly key: string
  /** Items before this place, so that the count of a list grows as it is read. */
  readonly seen: number
  readonly back: boolean
  /** Of the whole list, as its first page told it. */
  readonly count?: BoundedCount | undefined
}

export function toCursor({ key, seen, back, count }: Cursor, filter: string): string {
  const way = back ? 'back' : 'on'
  const parts = [key, seen, filter, way, ...(count === undefined ? [] : [count.value, count.exact])]
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/** `form` guards the store against text that it could not even compare. */
export function fromCursor(text: string | undefined, filter: string, form: RegExp): Cursor | undefined {
  if (text === undefined) return undefined
  const [key, seen, of, way, value, exact] = decode(text)
  if (
    typeof key !== 'string' ||
    !form.test(key) ||
    !isCount(seen) ||
    (way !== undefined && way !== 'on' && way !== 'back') ||
    (value !== undefined && (!isCount(value) || typeof exact !== 'boolean'))
  )
    throw new InvalidCursor({ reason: 'it is not one of ours' })
  if (of !== filter) throw new InvalidCursor({ reason: 'it belongs to a list with other filters' })
  const count = value === undefined ? {} : { count: { value, exact: exact === true } }
  return { key, seen, back: way === 'back', ...count }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

function decode(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
