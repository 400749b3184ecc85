/**
 * A quantile of what came between two readings of a histogram. Within the bucket it lies in, values are taken to be spread evenly, as
 * Prometheus does; beyond the last bound it is that bound. `undefined`: nothing came.
 */
export function bucketQuantile(
  bounds: readonly number[],
  /** How many came at or below each bound, and at all. */
  cumulative: readonly number[],
  total: number,
  quantile: number,
): number | undefined {
  if (total <= 0) return undefined
  const rank = quantile * total
  const at = cumulative.findIndex((count) => count >= rank)
  if (at === -1) return bounds.at(-1)
  const [low, below] = at === 0 ? [0, 0] : [bounds[at - 1]!, cumulative[at - 1]!]
  const inside = cumulative[at]! - below
  return inside <= 0 ? bounds[at]! : low + (bounds[at]! - low) * ((rank - below) / inside)
}
