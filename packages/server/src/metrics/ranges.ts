const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** More steps than a screen has room for tell nobody more; nor are there finer ones in the store, the further back it is. */
export const RANGES = {
  '15m': { rangeMs: 15 * MINUTE, slotMs: MINUTE },
  '1h': { rangeMs: HOUR, slotMs: MINUTE },
  '6h': { rangeMs: 6 * HOUR, slotMs: 2 * MINUTE },
  '24h': { rangeMs: DAY, slotMs: 15 * MINUTE },
  '7d': { rangeMs: 7 * DAY, slotMs: HOUR },
  '30d': { rangeMs: 30 * DAY, slotMs: 4 * HOUR },
} as const

export type Range = keyof typeof RANGES
export const rangeNames = Object.keys(RANGES) as Range[]
