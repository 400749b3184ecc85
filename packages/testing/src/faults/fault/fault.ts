import { type Deferred, deferred, InvalidOption } from '@lockstep/base'
import type { FaultSite } from '../proxy/fault-site.ts'

/** Evidence that a fault struck. */
export interface ConnectionLanding {
  readonly connectionId: number
}

/**
 * Something that goes wrong on a link. In force from `proxy.use(fault)` until the handle is removed; it may be used
 * again, and on several proxies at once.
 */
export interface Fault<Landing = ConnectionLanding> {
  readonly name: string
  /** How often it really struck, over all proxies. */
  readonly hits: number
  /** Resolves when it has struck `count` times (default 1), with the latest strike. A fault that never strikes leaves it pending. */
  landed(count?: number): Promise<Landing>
  /** Called by the proxy. Puts the fault in force; the returned function lifts it. */
  apply(site: FaultSite): Lift
}

/** Called once; what is lifted already stays so. */
export type Lift = () => void | Promise<void>

/** Builds a fault from what it does to a site; `land` records a strike. */
export function defineFault<Landing = ConnectionLanding>(
  name: string,
  apply: (site: FaultSite, land: (landing: Landing) => void) => Lift,
): Fault<Landing> {
  let hits = 0
  let last: Landing
  const waiting = new Map<number, Deferred<Landing>>()
  const land = (landing: Landing): void => {
    hits++
    last = landing
    waiting.get(hits)?.resolve(landing)
    waiting.delete(hits)
  }
  return {
    name,
    get hits() {
      return hits
    },
    landed(count = 1) {
      if (hits >= count) return Promise.resolve(last)
      const wait = waiting.get(count) ?? deferred<Landing>()
      waiting.set(count, wait)
      return wait.promise
    },
    apply: (site) => apply(site, land),
  }
}

/** Refuses a duration, size or rate that no fault can mean. */
export function requireAtLeast(option: string, least: number, value: number): void {
  if (!(value >= least)) throw new InvalidOption({ option, rule: `at least ${least}`, value })
}
