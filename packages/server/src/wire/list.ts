import type { BoundedCount, Page } from '@lockstep/engine/ports'
import Type, { type TSchema } from 'typebox'
import { type Cursor, toCursor } from '../request/cursor.ts'
import { nullable, oneOf } from './schema.ts'

export const MOST_ITEMS = 200
export const DEFAULT_ITEMS = 50

export const Limit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: MOST_ITEMS, description: `Items in one answer; ${DEFAULT_ITEMS} unless told.` }),
)
export const CursorParameter = Type.Optional(
  Type.String({ minLength: 1, maxLength: 4_000, description: 'page.next or page.prev of the last answer.' }),
)

export const sortOf = <const Sort extends string>(sorts: readonly Sort[], usual: NoInfer<Sort>) =>
  Type.Optional(oneOf(sorts, `Order of the list; ${usual} unless told. A minus turns it around.`))

export interface PageTexts {
  readonly next?: string
  readonly prev?: string
}

export const listOf = (item: TSchema, texts: PageTexts = {}) =>
  Type.Object({
    items: Type.Array(item),
    page: Type.Object({
      next: nullable('string', { description: texts.next ?? 'Pass it as cursor to read on; null at the end.' }),
      prev: nullable('string', {
        description: texts.prev ?? 'Pass it as cursor to read the page before; null at the beginning.',
      }),
      limit: Type.Integer(),
    }),
    count: Type.Object({
      value: Type.Integer({
        description:
          'Items of the whole list, counted up to 10,000. Where counting is not cheap, as by input, those up to here.',
      }),
      exact: Type.Boolean({ description: 'Whether that is all there are; false: at least so many.' }),
    }),
  })

/** What a list was asked for. `filter` stands in its cursors, so that none can be used with another. */
export interface ListPlace<Row> {
  readonly cursor: Cursor | undefined
  readonly limit: number
  readonly filter: string
  readonly key: (row: Row) => string
}

/** One answer of a list, made of up to `limit + 1` rows: the one too many only says that there is more, in the direction of reading. */
export function toList<Row, Item>(
  { rows, lookedTo, count }: Page<Row>,
  toItem: (row: Row) => Item,
  { cursor, limit, filter, key }: ListPlace<Row>,
) {
  const back = cursor?.back === true
  const more = rows.length > limit
  const shown = back ? rows.slice(more ? 1 : 0) : rows.slice(0, limit)
  const before = back ? Math.max(0, cursor.seen - shown.length) : (cursor?.seen ?? 0)
  const seen = before + shown.length
  const first = shown.length === 0 ? lookedTo : key(shown[0]!)
  const last = shown.length === 0 ? lookedTo : key(shown.at(-1)!)
  // Ahead, where it is being read to: behind the last item when there is more, else behind what was looked at without success.
  const ahead = more ? (back ? first : last) : lookedTo
  const next = back ? last : ahead
  const prev = back ? ahead : cursor && first
  const whole = count ?? cursor?.count
  return {
    items: shown.map(toItem),
    page: {
      next: next === undefined ? null : toCursor({ key: next, seen, back: false, count: whole }, filter),
      prev: prev === undefined ? null : toCursor({ key: prev, seen: before, back: true, count: whole }, filter),
      limit,
    },
    count: countOf(seen, { end: next === undefined, more: more || back }, whole),
  }
}

/** What was read to its end is counted; else the list was, or there are at least those that were seen. */
function countOf(
  seen: number,
  { end, more }: { readonly end: boolean; readonly more: boolean },
  whole: BoundedCount | undefined,
): BoundedCount {
  if (end) return { value: seen, exact: true }
  const least = more ? seen + 1 : seen
  if (whole === undefined) return { value: least, exact: false }
  return { value: Math.max(whole.value, least), exact: whole.exact && whole.value >= least }
}

/** A page of rows that a store gave out without saying how far it looked: it looked at all. */
export const pageOf = <Row>(rows: readonly Row[]): Page<Row> => ({ rows, lookedTo: undefined })

/** Of lists that are short by nature, and answered as a whole. */
export const WHOLE: PageTexts = { next: 'Always null: this list is whole.', prev: 'Always null: this list is whole.' }

export const toWholeList = <Item>(items: readonly Item[]) => ({
  items,
  page: { next: null, prev: null, limit: items.length },
  count: { value: items.length, exact: true },
})
