import Type, { type TSchema } from 'typebox'
import { toCursor } from '../request/cursor.ts'
import { nullable } from './schema.ts'

export const MOST_ITEMS = 200
export const DEFAULT_ITEMS = 50

export const Limit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: MOST_ITEMS, description: `Items in one answer; ${DEFAULT_ITEMS} unless told.` }),
)
export const CursorParameter = Type.Optional(
  Type.String({ minLength: 1, maxLength: 2_000, description: 'page.next of the last answer.' }),
)

export const listOf = (item: TSchema, next = 'Pass it as cursor to read on; null at the end.') =>
  Type.Object({
    items: Type.Array(item),
    page: Type.Object({
      next: nullable('string', { description: next }),
      prev: nullable('string', { description: 'Always null: lists are read forward.' }),
      limit: Type.Integer(),
    }),
    count: Type.Object({
      value: Type.Integer({ description: 'Items up to here, and one more when there are more.' }),
      exact: Type.Boolean({ description: 'Whether that is all there are.' }),
    }),
  })

/** One answer of a list, made of `limit + 1` rows: the last one only says that there is more. */
export function toList<Row, Item>(
  rows: readonly Row[],
  toItem: (row: Row) => Item,
  place: { readonly limit: number; readonly seen: number; readonly filter: string; readonly key: (row: Row) => string },
) {
  const { limit, filter, key } = place
  const shown = rows.slice(0, limit)
  const more = rows.length > limit
  const seen = place.seen + shown.length
  return {
    items: shown.map(toItem),
    page: { next: more ? toCursor({ after: key(shown.at(-1)!), seen }, filter) : null, prev: null, limit },
    count: { value: more ? seen + 1 : seen, exact: !more },
  }
}
