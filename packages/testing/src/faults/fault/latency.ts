import type { Direction } from '../proxy/valve.ts'
import { defineFault, type Fault, requireAtLeast } from './fault.ts'
import { onLanes } from './on-lanes.ts'

export interface LatencyOptions {
  readonly ms: number
  /** Each delay varies by up to this much either way, never below 0. Order is kept all the same. @default 0 */
  readonly jitterMs?: number
  /** @default both: a round trip takes twice `ms` */
  readonly direction?: Direction
}

/** Delays what is sent from now on; bytes under way when it is lifted arrive at their time. */
export function latency(options: LatencyOptions): Fault {
  const { ms, jitterMs = 0, direction } = options
  requireAtLeast('ms', 0, ms)
  requireAtLeast('jitterMs', 0, jitterMs)
  return defineFault('latency', (site, land) =>
    onLanes(site, direction, (link) => ({
      delayMs() {
        land({ connectionId: link.id })
        return Math.max(0, ms + jitterMs * (2 * site.random.next() - 1))
      },
    })),
  )
}
