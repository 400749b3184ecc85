import type { MetricSums } from '@lockstep/engine/ports'
import type { Sampled, SeriesTable } from './series-table.ts'
import { LEVELS, READINGS, STORED, type StoredSeries } from './stored-series.ts'

/** What came between two readings, as it is stored. `undefined`: the node did nothing but live. */
export function sumsBetween(table: SeriesTable, a: Sampled, b: Sampled): MetricSums | undefined {
  const sums: Record<string, number> = {}
  let worked = false
  for (const [code, series] of Object.entries(STORED))
    for (const [part, count] of partsOf(table, a, b, series)) {
      if (count <= 0) continue
      sums[part === undefined ? code : `${code}:${part}`] = short(count)
      worked ||= series.idle !== true
    }
  if (!worked) return undefined
  for (const [code, name] of Object.entries(LEVELS)) sums[code] = short(table.sum(b, name))
  return { ...sums, [READINGS]: 1 }
}

/** Seconds to the microsecond: more digits only make rows longer. */
const short = (value: number): number => Math.round(value * 1e6) / 1e6

function partsOf(
  table: SeriesTable,
  a: Sampled,
  b: Sampled,
  { name, labels = {}, by, bounds }: StoredSeries,
): readonly (readonly [part: string | undefined, count: number])[] {
  const came = (more: Readonly<Record<string, string>> = {}): number =>
    table.sum(b, name, { ...labels, ...more }) - table.sum(a, name, { ...labels, ...more })
  if (by !== undefined) return table.values(name, by).map((value) => [value, came({ [by]: value })])
  if (bounds === undefined) return [[undefined, came()]]
  let below = 0
  return [...bounds.map(String), '+Inf'].map((le) => {
    const upTo = came({ le })
    const inside = upTo - below
    below = upTo
    return [le, inside]
  })
}
