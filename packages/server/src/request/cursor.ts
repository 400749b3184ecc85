import { InvalidCursor } from '../problem/request-errors.ts'

/** Where a list goes on. Opaque to clients; it carries its filter, so that it cannot be used with another. */
export interface Cursor {
  /** Of the row that the page lies behind, or, with `back`, before. */
  readonly key: string
  /** Items before this place, so that the count of a list grows as it is read. */
  readonly seen: number
  readonly back: boolean
}

export function toCursor({ key, seen, back }: Cursor, filter: string): string {
  return Buffer.from(JSON.stringify([key, seen, filter, ...(back ? ['back'] : [])])).toString('base64url')
}

/** `form` guards the store against text that it could not even compare. */
export function fromCursor(text: string | undefined, filter: string, form: RegExp): Cursor | undefined {
  if (text === undefined) return undefined
  const [key, seen, of, way] = decode(text)
  if (
    typeof key !== 'string' ||
    !form.test(key) ||
    !Number.isSafeInteger(seen) ||
    (seen as number) < 0 ||
    (way !== undefined && way !== 'back')
  )
    throw new InvalidCursor({ reason: 'it is not one of ours' })
  if (of !== filter) throw new InvalidCursor({ reason: 'it belongs to a list with other filters' })
  return { key, seen: seen as number, back: way === 'back' }
}

function decode(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
