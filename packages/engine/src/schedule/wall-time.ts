/**
 * Wall times are numbers: the milliseconds that the same reading would be in UTC. Days are whole days since 1970-01-01.
 */
export const DAY_MS = 86_400_000

/** Outside these, no schedule fires: dates past 9999 fit neither ISO 8601 nor the store. */
export const EARLIEST_AT = Date.UTC(1900, 0, 1)
export const LATEST_AT = Date.UTC(9999, 11, 30)

export const dayOf = (wall: number): number => Math.floor(wall / DAY_MS)

/** 0 is Sunday, as in cron. 1970-01-01 was a Thursday. */
export const weekdayOf = (day: number): number => (((day + 4) % 7) + 7) % 7

/** `2026-03-29T02:30:00`. */
export const wallText = (wall: number): string => new Date(wall).toISOString().slice(0, 19)

/** `+05:45`. Seconds are shown where history has them. */
export function offsetText(offsetMs: number): string {
  const text = new Date(Math.abs(offsetMs)).toISOString().slice(11, 19)
  return `${offsetMs < 0 ? '-' : '+'}${text.endsWith(':00') ? text.slice(0, 5) : text}`
}

/** Day number of `YYYY-MM-DD`; `undefined` when the calendar has no such date. */
export function parseDate(text: string): number | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)
  if (match === null) return undefined
  const ms = Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3]))
  return wallText(ms).startsWith(text) ? ms / DAY_MS : undefined
}
