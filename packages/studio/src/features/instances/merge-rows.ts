interface Row {
  readonly id: string
}

/**
 * What a live list shows. While `hold` (the pointer is over it, it is scrolled, or rows are selected) rows change in place and none
 * comes, goes or moves; those that wait to be shown are counted.
 */
export function mergeRows<T extends Row>(
  shown: readonly T[] | undefined,
  fresh: readonly T[],
  hold: boolean,
): { readonly rows: readonly T[]; readonly waiting: number } {
  if (shown === undefined || !hold) return { rows: fresh, waiting: 0 }
  const byId = new Map(fresh.map((row) => [row.id, row]))
  const ids = new Set(shown.map(({ id }) => id))
  return { rows: shown.map((row) => byId.get(row.id) ?? row), waiting: fresh.filter(({ id }) => !ids.has(id)).length }
}
