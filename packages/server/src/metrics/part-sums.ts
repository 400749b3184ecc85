import type { MetricSums } from '@lockstep/engine/ports'

export function addSums(a: MetricSums, b: MetricSums): MetricSums {
  const sums: Record<string, number> = { ...a }
  for (const [name, value] of Object.entries(b)) sums[name] = (sums[name] ?? 0) + value
  return sums
}

/** How many instances ended, however they did. */
export function endsOf(sums: MetricSums): number {
  let count = 0
  for (const [name, value] of Object.entries(sums)) if (name.startsWith('ended:')) count += value
  return count
}
