import type { Stint, Write } from './history.ts'

export interface Violation {
  readonly rule:
    | 'a fence is granted once'
    | 'fences rise'
    | 'the resource takes no earlier fence'
    | 'nobody trusts a lease that another has'
  readonly detail: string
}

export interface CheckOptions {
  /**
   * The store lost leases while they lived (FLUSHALL, an empty restart, eviction). Then two may believe in the same lock
   * until the next renewal, and only the fence at the resource stands between them: the last rule is not asked for.
   */
  readonly storeForgets?: boolean
}

/** Empty: nothing was found. */
export function checkHistory(
  stints: readonly Stint[],
  writes: readonly Write[],
  { storeForgets = false }: CheckOptions = {},
): Violation[] {
  return [
    ...grantedOnce(stints),
    ...fencesRise(stints),
    ...noEarlierFence(writes),
    ...(storeForgets ? [] : noFalseTrust(stints)),
  ]
}

function grantedOnce(stints: readonly Stint[]): Violation[] {
  const seen = new Map<bigint, Stint>()
  const found: Violation[] = []
  for (const stint of stints) {
    const other = seen.get(stint.fence)
    if (other !== undefined)
      found.push({ rule: 'a fence is granted once', detail: `${stint.fence}: ${other.worker} and ${stint.worker}` })
    seen.set(stint.fence, stint)
  }
  return found
}

/** Whoever asked when another already had the lock was granted later, and must have a higher fence. */
function fencesRise(stints: readonly Stint[]): Violation[] {
  const byStart = [...stints].sort((one, two) => compare(one.startedAt, two.startedAt))
  const byAsking = [...stints].sort((one, two) => compare(one.askedAt, two.askedAt))
  const found: Violation[] = []
  let next = 0
  let highest: Stint | undefined
  for (const stint of byAsking) {
    for (; next < byStart.length && byStart[next]!.startedAt <= stint.askedAt; next += 1)
      if (highest === undefined || byStart[next]!.fence > highest.fence) highest = byStart[next]!
    if (highest !== undefined && highest !== stint && stint.fence <= highest.fence)
      found.push({
        rule: 'fences rise',
        detail: `${stint.worker} asked while ${highest.worker} had ${highest.fence}, and was granted ${stint.fence}`,
      })
  }
  return found
}

function noEarlierFence(writes: readonly Write[]): Violation[] {
  const found: Violation[] = []
  let highest = 0n
  for (const { worker, fence, accepted } of writes) {
    if (!accepted) continue
    if (fence < highest)
      found.push({
        rule: 'the resource takes no earlier fence',
        detail: `${worker} wrote with ${fence} after ${highest} had written`,
      })
    else highest = fence
  }
  return found
}

/** `assertHeld` said yes to one at a moment when another, with a higher fence, had the lock already. */
function noFalseTrust(stints: readonly Stint[]): Violation[] {
  const found: Violation[] = []
  const byFence = [...stints].sort((one, two) => compare(one.fence, two.fence))
  // The earliest start among all with a higher fence, from the back.
  let earliest: Stint | undefined
  for (const stint of byFence.reverse()) {
    const { trusted, worker, fence } = stint
    const late = earliest === undefined ? undefined : trusted.find((at) => at >= earliest!.startedAt)
    if (late !== undefined)
      found.push({
        rule: 'nobody trusts a lease that another has',
        detail: `${worker} trusted ${fence} ${(late - earliest!.startedAt) / 1_000n} µs after ${earliest!.worker} had ${earliest!.fence}`,
      })
    if (earliest === undefined || stint.startedAt < earliest.startedAt) earliest = stint
  }
  return found
}

function compare(one: bigint, two: bigint): number {
  return one < two ? -1 : one > two ? 1 : 0
}
