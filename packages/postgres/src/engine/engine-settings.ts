import type { LaneName } from '../db/db.ts'
import type { LaneOptions } from '../postgres/postgres-options.ts'

/**
 * Planner settings of the connections that commit and load. Statistics of the hot tables are always out of date; with these the plans of
 * the commit function are made once and stay what they were meant to be. On the connection, not on the function: setting them at
 * each call costs a tenth of a millisecond.
 */
export const engineSettings: Readonly<Record<string, string>> = {
  enable_seqscan: 'off',
  plan_cache_mode: 'force_generic_plan',
}

/** Beats and commits have their own, always: work cannot keep a node from saying that it lives. */
const RESERVED: Readonly<Record<'control' | 'flush', number>> = { control: 2, flush: 1 }

/** What the lanes have unless told: control 2, flush 1, work 4, api 4. */
export const DEFAULT_POOL = 11
/** One connection for work, one for requests. */
export const SMALLEST_POOL = RESERVED.control + RESERVED.flush + 2

export const engineLanes: Partial<Record<LaneName, LaneOptions>> = {
  flush: { settings: engineSettings },
  work: { settings: engineSettings },
}

/** The lanes of a node that pools `size` connections: what is not reserved goes to work and to requests, half and half. */
export function lanesFor(size: number): Partial<Record<LaneName, LaneOptions>> {
  const shared = size - RESERVED.control - RESERVED.flush
  return {
    control: { size: RESERVED.control },
    flush: { ...engineLanes.flush, size: RESERVED.flush },
    work: { ...engineLanes.work, size: Math.ceil(shared / 2) },
    api: { size: Math.floor(shared / 2) },
  }
}
