import type { IncidentGroup, IncidentHistogram } from '../../api/wire.ts'

const HOUR = 3_600_000

export interface Arrival {
  readonly from: number
  readonly count: number
  /** Of the highest, 0 to 1. */
  readonly share: number
}

/** Bars, the newest last. */
export function arrivals({ from, slotMs, counts }: IncidentHistogram): readonly Arrival[] {
  const most = Math.max(1, ...counts)
  const start = Date.parse(from)
  return counts.map((count, index) => ({ from: start + index * slotMs, count, share: count / most }))
}

/** `last hour`, `last day`, `last 7 days`: what the bars cover. */
export function spanText({ slotMs, counts }: IncidentHistogram): string {
  const hours = Math.round((slotMs * counts.length) / HOUR)
  if (hours <= 1) return 'last hour'
  return hours <= 24 ? 'last day' : `last ${Math.round(hours / 24)} days`
}

/** What the bars say, for those who do not see them. */
export function arrivalsText(histogram: IncidentHistogram): string {
  const { counts } = histogram
  const total = counts.reduce((sum, count) => sum + count, 0)
  const span = spanText(histogram)
  if (total === 0) return `None of them came in the ${span}`
  const filled = counts.filter((count) => count > 0).length
  const spread =
    filled === 1
      ? counts.at(-1) === total
        ? 'all just now'
        : 'all at one time'
      : `at ${filled} of ${counts.length} times, most at once ${Math.max(...counts)}`
  return `${total.toLocaleString('en')} came in the ${span}, ${spread}`
}

/** What was changed before it failed points at why. `undefined`: that cannot be told. */
export function beganText({
  firstVersion,
  cleanVersion,
}: Pick<IncidentGroup, 'firstVersion' | 'cleanVersion'>): string | undefined {
  if (firstVersion === null || cleanVersion === null || cleanVersion === undefined) return undefined
  return `Began with version ${firstVersion}: version ${cleanVersion} ran without it`
}
