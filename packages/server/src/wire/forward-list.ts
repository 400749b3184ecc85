import { type Cursor, toCursor } from '../request/cursor.ts'
import type { PageTexts } from './list.ts'

export const FORWARD: PageTexts = { prev: 'Always null: this list is read forward.' }

/** One answer of a list that the engine reads in one direction, made of up to `limit + 1` rows. */
export function toForwardList<Row, Item>(
  rows: readonly Row[],
  toItem: (row: Row) => Item,
  { cursor, limit, key }: { cursor: Cursor | undefined; limit: number; key: (row: Row) => string },
) {
  const shown = rows.slice(0, limit)
  const seen = (cursor?.seen ?? 0) + shown.length
  const more = rows.length > limit
  return {
    items: shown.map(toItem),
    page: { next: more ? toCursor({ key: key(shown.at(-1)!), seen, back: false }, '') : null, prev: null, limit },
    count: { value: more ? seen + 1 : seen, exact: !more },
  }
}
