import type { Metrics, Range } from './metrics-query.ts'

const MINUTE = 60_000
export const RANGE_MS: Readonly<Record<Range, number>> = {
  '15m': 15 * MINUTE,
  '1h': 60 * MINUTE,
  '6h': 360 * MINUTE,
  '24h': 1_440 * MINUTE,
  '7d': 10_080 * MINUTE,
  '30d': 43_200 * MINUTE,
}

/** The range that the one before lies in as well. Of the widest there is none. */
export const widerRange: Readonly<Record<Range, Range | undefined>> = {
  '15m': '1h',
  '1h': '6h',
  '6h': '24h',
  '24h': '7d',
  '7d': '30d',
  '30d': undefined,
}

/** What the curves were as long ago as the range is wide: for each step, the value of the wider range whose step holds that moment. */
export function previousCurves(now: Metrics, wider: Metrics, rangeMs: number): Metrics['curves'] {
  const steps = now.at.map((at) => wider.at.findIndex((end) => end >= at - rangeMs))
  const first = wider.from === null ? Number.POSITIVE_INFINITY : Date.parse(wider.from)
  const known = now.at.map((at, index) => (at - rangeMs > first ? (steps[index] ?? -1) : -1))
  return Object.fromEntries(
    Object.keys(now.curves).map((name) => [name, known.map((step) => wider.curves[name]?.[step] ?? null)]),
  )
}

/** What rates came to over the steps, where any are known. */
export function countOf(metrics: Pick<Metrics, 'at'>, perMinute: readonly (number | null)[] | undefined) {
  if (perMinute === undefined || perMinute.every((value) => value === null)) return undefined
  const { at } = metrics
  const sum = perMinute.reduce<number>((total, value, index) => {
    const width = index === 0 ? (at[1] ?? at[0]!) - at[0]! : at[index]! - at[index - 1]!
    return total + (value ?? 0) * (width / MINUTE)
  }, 0)
  return Math.round(sum)
}
