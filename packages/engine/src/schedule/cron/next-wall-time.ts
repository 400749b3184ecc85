import { DAY_MS } from '../wall-time.ts'
import type { Cron } from './cron.ts'
import { matchingDays, monthOf } from './days-in-month.ts'

/** The calendar repeats itself after 400 years, weekdays included: what did not match till then never will. */
const MONTHS_TO_SEARCH = 400 * 12 + 1

/** The first wall time at or after `from` that matches; `undefined` when none ever will. Whole seconds. Knows no zone. */
export function nextWallTime(cron: Cron, from: number): number | undefined {
  const seconds = Math.ceil(from / 1_000)
  const day = Math.floor(seconds / 86_400)
  const today = nextMatchingDay(cron, day)
  if (today === undefined) return undefined
  const time = today === day ? timeOfDay(cron, seconds - day * 86_400) : undefined
  if (time !== undefined) return today * DAY_MS + time * 1_000
  const later = today === day ? nextMatchingDay(cron, day + 1) : today
  return later === undefined ? undefined : later * DAY_MS + timeOfDay(cron, 0)! * 1_000
}

function nextMatchingDay(cron: Cron, from: number): number | undefined {
  const date = new Date(from * DAY_MS)
  let year = date.getUTCFullYear()
  let month = date.getUTCMonth() + 1
  let skipped = date.getUTCDate() - 1
  for (let searched = 0; searched < MONTHS_TO_SEARCH; searched++) {
    if (cron.months.has(month)) {
      const candidate = monthOf(year, month)
      const days = (matchingDays(cron, candidate) >> skipped) << skipped
      if (days !== 0) return candidate.firstDay + lowestBit(days)
    }
    skipped = 0
    month++
    if (month > 12) {
      month = 1
      year++
    }
  }
  return undefined
}

const lowestBit = (mask: number): number => 31 - Math.clz32(mask & -mask)

/** Second of the day, at or after `from`; `undefined` when the day has no more. */
function timeOfDay(cron: Cron, from: number): number | undefined {
  const hour = Math.floor(from / 3_600)
  const minute = Math.floor(from / 60) % 60
  const sameHour = cron.hour[hour] === hour
  if (sameHour && cron.minute[minute] === minute) {
    const second = cron.second[from % 60]!
    if (second >= 0) return hour * 3_600 + minute * 60 + second
  }
  if (sameHour) {
    const nextMinute = cron.minute[minute + 1]!
    if (nextMinute >= 0) return hour * 3_600 + nextMinute * 60 + cron.second[0]!
  }
  const nextHour = cron.hour[hour + 1]!
  return nextHour < 0 ? undefined : nextHour * 3_600 + cron.minute[0]! * 60 + cron.second[0]!
}
