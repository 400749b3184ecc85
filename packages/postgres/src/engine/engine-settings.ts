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
  // A forbidden scan that cannot be avoided is priced so high that the server compiles the plan first: a tenth of a second.
  jit: 'off',
}

export const engineLanes: Partial<Record<LaneName, LaneOptions>> = {
  control: { settings: { jit: 'off' } },
  flush: { settings: engineSettings },
  work: { settings: engineSettings },
}
