import { Temporal } from 'temporal-polyfill'
import type { InstantText } from './schedule.ts'
import { EARLIEST_AT, LATEST_AT } from './wall-time.ts'

/** Epoch milliseconds; `undefined` for what is no instant. `Date` is not asked: it takes 30 February for 2 March. */
export function parseInstant(value: InstantText): number | undefined {
  const at = typeof value === 'number' ? value : parseText(value)
  return at !== undefined && Number.isInteger(at) && at >= EARLIEST_AT && at < LATEST_AT ? at : undefined
}

function parseText(text: string): number | undefined {
  try {
    return Temporal.Instant.from(text).epochMilliseconds
  } catch {
    return undefined
  }
}
