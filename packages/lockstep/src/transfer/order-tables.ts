import type { TableRow } from './transfer.sql.ts'

/** Those that others refer to first. */
export function orderTables(tables: readonly TableRow[]): readonly TableRow[] {
  const ordered: TableRow[] = []
  const left = new Set(tables)
  const names = new Set(tables.map(({ name }) => name))
  while (left.size > 0) {
    const there = new Set(ordered.map(({ name }) => name))
    const ready = [...left].filter(({ needs }) => needs.every((need) => there.has(need) || !names.has(need)))
    // Tables that refer to each other in a ring: their rows are looked at when the transaction ends, or not at all.
    for (const table of ready.length > 0 ? ready : [...left]) {
      ordered.push(table)
      left.delete(table)
    }
  }
  return ordered
}
