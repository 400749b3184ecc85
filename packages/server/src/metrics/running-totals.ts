/**
 * Rows of the store as readings of one node that never ends: each is what came since the first, so that curves of a cluster are made as those of
 * a node are. Pure.
 */
import type { MetricSlot, MetricSums } from '@lockstep/engine/ports'
import { type Labels, type Sampled, SeriesTable } from './series-table.ts'
import { LEVELS, READINGS, STORED } from './stored-series.ts'

/** Names in rows are those of `STORED`, so there is no more than a few hundred. */
const MOST_SERIES = 1_000

/** What has not been written yet, since when. */
export interface Tail {
  readonly sums: MetricSums
  readonly since: number
}

export interface Totals {
  readonly table: SeriesTable
  readonly samples: readonly Sampled[]
}

/** The last step is from half a slot to one and a half, and holds all of the tail: a moment has no rate. */
export function runningTotals(slots: readonly MetricSlot[], tail: Tail, slotMs: number, now: number): Totals {
  const table = new SeriesTable(MOST_SERIES)
  const totals: number[] = []
  const known = new Map<string, readonly number[]>()
  const placesOf = (key: string): readonly number[] => {
    let places = known.get(key)
    if (places === undefined) {
      const all = seriesOf(key).map(([name, labels, times]) => [table.place(name, labels), times] as const)
      for (const [place] of all) if (place !== undefined) totals[place] ??= 0
      places = all.flatMap(([place, times]) => (times === 0 || place === undefined ? [] : place))
      known.set(key, places)
    }
    return places
  }
  const add = (sums: MetricSums): void => {
    for (const [key, value] of Object.entries(sums)) for (const place of placesOf(key)) totals[place]! += value
  }
  const last = Math.floor(Math.min(tail.since, now - slotMs / 2) / slotMs) * slotMs
  const first = Math.min(slots[0]?.at ?? last, last)
  const samples: Sampled[] = [{ at: first, values: new Float64Array(0) }]
  const rows = slots.values()
  let row = rows.next()
  for (let at = first; at <= last; at += slotMs) {
    for (; !row.done && (row.value.at <= at || at === last); row = rows.next()) add(row.value.sums)
    if (at === last) add(tail.sums)
    samples.push({ at: at === last ? now : at + slotMs, values: Float64Array.from(totals) })
  }
  return { table, samples }
}

/** The series that a stored name counts in, once or not at all: a bucket of its own counts in all that reach as far, and the others have a place. */
function seriesOf(key: string): readonly (readonly [name: string, labels: Labels, times: 0 | 1])[] {
  if (key === READINGS) return [[READINGS, {}, 1]]
  const colon = key.indexOf(':')
  const [code, part] = colon === -1 ? [key, ''] : [key.slice(0, colon), key.slice(colon + 1)]
  const level = LEVELS[code]
  if (level !== undefined) return [[level, {}, 1]]
  const series = STORED[code]
  if (series === undefined) return []
  const { name, labels = {}, by, bounds } = series
  if (by !== undefined) return [[name, { ...labels, [by]: part }, 1]]
  if (bounds === undefined) return [[name, labels, 1]]
  const reach = part === '+Inf' ? Number.POSITIVE_INFINITY : Number(part)
  const below = bounds.map((bound) => [name, { ...labels, le: String(bound) }, bound < reach ? 0 : 1] as const)
  return [...below, [name, { ...labels, le: '+Inf' }, 1]]
}
