import { DAY_MS, weekdayOf } from '../wall-time.ts'
import type { Cron, MonthDays, WeekDays } from './cron.ts'

/** One month of one year, as far as cron cares. */
export interface Month {
  /** Days since 1970 of the 1st. */
  readonly firstDay: number
  readonly length: number
}

/** `month` counts from 1. */
export function monthOf(year: number, month: number): Month {
  const firstDay = Date.UTC(year, month - 1, 1) / DAY_MS
  return { firstDay, length: Date.UTC(year, month, 1) / DAY_MS - firstDay }
}

/** The days of a month that match, bit 0 for the 1st. The month field is not looked at. */
export function matchingDays(cron: Cron, month: Month): number {
  // Every bit of a 31-day month stays clear of the sign.
  const all = 2 ** month.length - 1
  switch (cron.days) {
    case 'any':
      return all
    case 'month-days':
      return all & monthDayMask(cron.monthDays, month)
    case 'weekdays':
      return all & weekdayMask(cron.weekdays, month)
    case 'either':
      return all & (monthDayMask(cron.monthDays, month) | weekdayMask(cron.weekdays, month))
    case 'both':
      return all & monthDayMask(cron.monthDays, month) & weekdayMask(cron.weekdays, month)
  }
}

function monthDayMask(days: MonthDays, { firstDay, length }: Month): number {
  let mask = days.mask
  for (const back of days.fromLast) if (back < length) mask |= 1 << (length - 1 - back)
  for (const day of days.nearestWorkdays) if (day <= length) mask |= 1 << (nearestWorkday(firstDay, length, day) - 1)
  if (days.lastWorkday) {
    const weekday = weekdayOf(firstDay + length - 1)
    mask |= 1 << (length - 1 - (weekday === 0 ? 2 : weekday === 6 ? 1 : 0))
  }
  return mask
}

/** Friday for a Saturday, Monday for a Sunday, unless that would leave the month. */
function nearestWorkday(firstDay: number, length: number, day: number): number {
  const weekday = weekdayOf(firstDay + day - 1)
  if (weekday === 6) return day > 1 ? day - 1 : day + 2
  if (weekday === 0) return day < length ? day + 1 : day - 2
  return day
}

function weekdayMask(days: WeekDays, { firstDay, length }: Month): number {
  const first = weekdayOf(firstDay)
  const firstOf = (weekday: number): number => (weekday - first + 7) % 7
  let mask = 0
  for (let weekday = 0; weekday < 7; weekday++) {
    if ((days.mask & (1 << weekday)) === 0) continue
    for (let day = firstOf(weekday); day < length; day += 7) mask |= 1 << day
  }
  for (const { weekday, nth } of days.nth) {
    const day = firstOf(weekday) + (nth - 1) * 7
    if (day < length) mask |= 1 << day
  }
  for (const weekday of days.last) {
    const day = firstOf(weekday)
    mask |= 1 << (day + Math.floor((length - 1 - day) / 7) * 7)
  }
  return mask
}
