import type { Random } from '@lockstep/base'

const FIRST_MS = 25
const LONGEST_MS = 2_000

/** Doubles each time up to a limit; half of it is random, so that many nodes do not come back at once. */
export function backoffMs(failureCount: number, random: Random): number {
  const wholeMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failureCount, 10))
  return wholeMs / 2 + (random.next() * wholeMs) / 2
}
