import type { Exit } from './graph-builder.ts'
import { noteUnreached, type Place } from './site.ts'

/** One after the other, in the same graph. */
export const placeSequence: Place = (site, sequence) => {
  let entry: string | undefined
  let exits: readonly Exit[] = []
  for (const activity of sequence.get('activities').items) {
    const isFirst = entry === undefined
    if (!isFirst && exits.length === 0) {
      noteUnreached(site, activity)
      continue
    }
    const placed = site.place({ ...site, isOutermost: site.isOutermost && isFirst }, activity)
    if (placed.entry === undefined) continue
    if (!isFirst) site.graph.connect(exits, placed.entry)
    entry ??= placed.entry
    exits = placed.exits
  }
  return { entry, exits }
}
