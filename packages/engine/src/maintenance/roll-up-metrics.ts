import { type Clock, sleep } from '@lockstep/base'
import { type Keep, keepMs } from '../retention/retention-options.ts'
import type { MetricStore } from '../store/metric-store.ts'
import type { Chore } from './chore.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const EVERY_MS = 15 * MINUTE_MS
/** Rows of one transaction, and transactions of one round. */
const ROWS = 500
const MOST_BATCHES = 20
/** Between two of them: others come first. */
const REST_MS = 50

/** The coarser the older. Whoever reads a range finds it at least as fine as a screen can show it. */
const STAGES = [
  { slotMs: MINUTE_MS, intoMs: 15 * MINUTE_MS, olderMs: 6 * HOUR_MS },
  { slotMs: 15 * MINUTE_MS, intoMs: HOUR_MS, olderMs: 3 * DAY_MS },
] as const

export interface RollUpOptions {
  readonly store: Pick<MetricStore, 'rollUp' | 'trim'>
  readonly clock: Clock
  /** How long it is kept. @default '30d' */
  readonly keep?: Keep | undefined
}

/** Sums up what the nodes counted: by minutes and nodes at first, then by quarters of an hour, then by hours, until it goes. */
export function rollUpMetrics({ store, clock, keep = '30d' }: RollUpOptions): Chore {
  const olderMs = keepMs(keep)
  return {
    name: 'metrics',
    everyMs: EVERY_MS,
    run: async (signal) => {
      const figures = { rolledUp: 0, deleted: 0 }
      let left = MOST_BATCHES
      const each = async (batch: () => Promise<number>): Promise<number> => {
        let sum = 0
        while (left > 0 && !signal.aborted) {
          left -= 1
          const rows = await batch()
          sum += rows
          if (rows < ROWS) break
          await sleep(clock, REST_MS, signal).catch(() => undefined)
        }
        return sum
      }
      for (const stage of STAGES) figures.rolledUp += await each(() => store.rollUp({ ...stage, limit: ROWS }))
      if (olderMs !== undefined) figures.deleted = await each(() => store.trim(olderMs, ROWS))
      return { more: left === 0, figures }
    },
  }
}
