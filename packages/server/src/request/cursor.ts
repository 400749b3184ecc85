import { InvalidCursor } from '../problem/request-errors.ts'

/** Where a list goes on. Opaque to clients; it carries its filter, so that it cannot be used with another. */
export interface Cursor {
  readonly after: string
  /** Items before this place, so that the count of a list grows as it is read. */
  readonly seen: number
}

export function toCursor(cursor: Cursor, filter: string): string {
  return Buffer.from(JSON.stringify([cursor.after, cursor.seen, filter])).toString('base64url')
}

/** `form` guards the store against text that it could not even compare. */
export function fromCursor(text: string | undefined, filter: string, form: RegExp): Cursor | undefined {
  if (text === undefined) return undefined
  const [after, seen, of] = decode(text)
  if (typeof after !== 'string' || !form.test(after) || !Number.isSafeInteger(seen) || (seen as number) < 0)
    throw new InvalidCursor({ reason: 'it is not one of ours' })
  if (of !== filter) throw new InvalidCursor({ reason: 'it belongs to a list with other filters' })
  return { after, seen: seen as number }
}

function decode(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
