import type { LockStats } from '@lockstep/coordination'

/** What the statistics call names beyond those that they keep apart. */
export const OTHER_LOCKS = '(other)'

/**
 * Which patterns of names have lines of their own: those that came first, for good. Were it the busiest ones, lines would come and go
 * with the hour, and every counter that comes back is read as a restart. All others are told together.
 */
export function toldLocks(most: number): (stats: readonly LockStats[]) => readonly LockStats[] {
  const told = new Set<string>()
  return (stats) => {
    for (const { pattern } of stats) if (told.size < most && pattern !== OTHER_LOCKS) told.add(pattern)
    const named = stats.filter(({ pattern }) => told.has(pattern))
    const rest = stats.filter(({ pattern }) => !told.has(pattern))
    return rest.length === 0 ? named : [...named, { ...rest.reduce(together), pattern: OTHER_LOCKS }]
  }
}

/** Those who asked and got an answer, whichever. */
export const settledOf = ({ granted, refused, timedOut, failed }: LockStats): number =>
  granted + refused + timedOut + failed

/** Those who did not get it at once. */
export const contendedOf = (stats: LockStats): number => Math.round(stats.contention * settledOf(stats))

function together(a: LockStats, b: LockStats): LockStats {
  const settled = settledOf(a) + settledOf(b)
  return {
    pattern: a.pattern,
    asked: a.asked + b.asked,
    granted: a.granted + b.granted,
    refused: a.refused + b.refused,
    timedOut: a.timedOut + b.timedOut,
    failed: a.failed + b.failed,
    released: a.released + b.released,
    lost: a.lost + b.lost,
    lateRenewals: a.lateRenewals + b.lateRenewals,
    contention: settled === 0 ? 0 : (contendedOf(a) + contendedOf(b)) / settled,
    waitMs: durations(a.waitMs, b.waitMs),
    holdMs: durations(a.holdMs, b.holdMs),
  }
}

/** Quantiles of two cannot be added; the longer one is never too short. */
function durations(a: LockStats['waitMs'], b: LockStats['waitMs']): LockStats['waitMs'] {
  const count = a.count + b.count
  return {
    count,
    mean: count === 0 ? 0 : (a.mean * a.count + b.mean * b.count) / count,
    p50: Math.max(a.p50, b.p50),
    p95: Math.max(a.p95, b.p95),
    p99: Math.max(a.p99, b.p99),
    max: Math.max(a.max, b.max),
  }
}
