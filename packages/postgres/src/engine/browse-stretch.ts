import type { Page, Place } from '@lockstep/engine/ports'

/** Where a search ends. */
export interface Edge {
  readonly id: string
  /** Nothing beyond it can fit. */
  readonly last?: boolean
}

/** Finds out how far the search goes, then reads that far: rows that come and go meanwhile cannot make it skip any. */
export async function stretch<Row>(
  place: Place,
  limit: number,
  bound: () => Promise<Edge | undefined>,
  list: (to: string | undefined) => Promise<Row[]>,
  count?: (to: string | undefined) => Promise<{ readonly count: number }>,
): Promise<Page<Row>> {
  const edge = await bound()
  const rows = await list(edge?.id)
  const isWhole = edge === undefined || edge.last === true
  if (count !== undefined && place.from === undefined && rows.length === limit) {
    const { count: value } = await count(edge?.id)
    return { rows, lookedTo: undefined, count: { value, exact: isWhole } }
  }
  const lookedTo = rows.length < limit && !isWhole ? edge.id : undefined
  return { rows: place.back === true ? rows.reverse() : rows, lookedTo }
}
