import type { Clock } from '@lockstep/base'
import type { Admission, Direction, Valve } from '../proxy/valve.ts'
import { defineFault, type Fault, requireAtLeast } from './fault.ts'
import { onLanes } from './on-lanes.ts'

export interface RateOptions {
  /** Per direction, shared by all connections of the proxy, as on a real line. */
  readonly bytesPerSecond: number
  /** @default both, each with a budget of its own */
  readonly direction?: Direction
}

/** A line this slow sends in bursts of a tenth of a second. */
const BURSTS_PER_SECOND = 10

/** Narrows the line. It strikes each time that bytes have to wait. */
export function rate(options: RateOptions): Fault {
  const { bytesPerSecond, direction } = options
  requireAtLeast('bytesPerSecond', 1, bytesPerSecond)
  return defineFault('rate', (site, land) => {
    const buckets = {
      requests: tokenBucket(site.clock, bytesPerSecond),
      replies: tokenBucket(site.clock, bytesPerSecond),
    }
    return onLanes(site, direction, (link, each) => {
      const bucket = buckets[each]
      return {
        admit(wanted) {
          const admission = bucket.admit(wanted)
          if (typeof admission !== 'number') land({ connectionId: link.id })
          return admission
        },
        passed: bucket.passed,
      }
    })
  })
}

function tokenBucket(clock: Clock, bytesPerSecond: number): Required<Pick<Valve, 'admit' | 'passed'>> {
  const capacity = Math.max(1, bytesPerSecond / BURSTS_PER_SECOND)
  let tokens = capacity
  let filledAt = clock.monotonic()
  return {
    admit(wanted): Admission {
      const now = clock.monotonic()
      tokens = Math.min(capacity, tokens + ((now - filledAt) * bytesPerSecond) / 1000)
      filledAt = now
      const worthwhile = Math.min(wanted, Math.floor(capacity))
      if (tokens >= worthwhile) return Math.min(wanted, Math.floor(tokens))
      return { retryInMs: Math.ceil(((worthwhile - tokens) * 1000) / bytesPerSecond) }
    },
    passed(count) {
      tokens -= count
    },
  }
}
