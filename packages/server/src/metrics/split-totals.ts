/**
 * Readings of a few parts of the work, such as workflows, over one and the same time: those in which most instances ended have a name, all others are
 * one. Each is read as a node that never ends, so that its curves are made as all others are. Pure.
 */
import { type MetricPartSlot, type MetricParts, type MetricSums, OTHER_PARTS } from '@lockstep/engine/ports'
import { addSums, endsOf } from './part-sums.ts'
import { runningTotals, type Totals } from './running-totals.ts'

export interface PartTotals extends Totals {
  /** `undefined`: all that have no name. */
  readonly part: string | undefined
}

export interface SplitTime {
  /** Since when the tail was counted. */
  readonly since: number
  readonly slotMs: number
  readonly now: number
}

/** At most `most` by name, the busiest first; the others last, where there are any. */
export function splitTotals(
  slots: readonly MetricPartSlot[],
  tail: MetricParts,
  most: number,
  { since, slotMs, now }: SplitTime,
): readonly PartTotals[] {
  const sums = new Map<string, MetricSums>()
  const add = (part: string, more: MetricSums): unknown => sums.set(part, addSums(sums.get(part) ?? {}, more))
  for (const { part, sums: came } of slots) add(part, came)
  for (const [part, came] of Object.entries(tail)) add(part, came)
  const ranked = [...sums]
    .filter(([part, came]) => part !== OTHER_PARTS && endsOf(came) > 0)
    .sort(([a, came], [b, other]) => endsOf(other) - endsOf(came) || (a < b ? -1 : 1))
    .map(([part]) => part)
  const named = ranked.slice(0, most)
  const isNamed = new Set(named)
  const first = slots.reduce((at, slot) => Math.min(at, slot.at), Number.POSITIVE_INFINITY)
  // All of them begin where the first one does.
  const begin = Number.isFinite(first) ? [{ at: first, sums: {} }] : []
  const totalsOf = (isOf: (part: string) => boolean): Totals => {
    const unwritten = Object.entries(tail).filter(([part]) => isOf(part))
    const rest = { sums: unwritten.reduce<MetricSums>((all, [, came]) => addSums(all, came), {}), since }
    return runningTotals([...begin, ...slots.filter(({ part }) => isOf(part))], rest, slotMs, now)
  }
  const hasOthers = [...sums].some(([part, came]) => !isNamed.has(part) && endsOf(came) > 0)
  return [
    ...named.map((part) => ({ part, ...totalsOf((each) => each === part) })),
    ...(hasOthers ? [{ part: undefined, ...totalsOf((each) => !isNamed.has(each)) }] : []),
  ]
}
