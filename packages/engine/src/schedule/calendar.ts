import { DAY_MS, dayOf, LATEST_AT, parseDate, wallText, weekdayOf } from './wall-time.ts'

/** Days on which nothing fires, in the zone of the trigger. */
export interface CalendarDocument {
  readonly name?: string
  /** `2026-12-25`, or `12-25` for every year. */
  readonly dates?: readonly string[]
  /** Both ends belong to the range. */
  readonly ranges?: readonly { readonly from: string; readonly to: string }[]
  readonly weekdays?: readonly Weekday[]
}

export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const
export type Weekday = (typeof WEEKDAYS)[number]

/** A calendar in day numbers. */
export interface Calendar {
  readonly name: string
  /** Bit 0 is Sunday. */
  readonly weekdays: number
  excludes(day: number): boolean
  /** First day after the range around `day`, or the day after. Only a hint to skip ahead: it may be excluded as well. */
  dayAfter(day: number): number
}

/** The dates must have been checked. */
export function compileCalendar(document: CalendarDocument, index: number): Calendar {
  const { name = `calendars/${index}`, dates = [], ranges = [], weekdays = [] } = document
  const days = new Set<number>()
  const yearly = new Set<string>()
  for (const date of dates) {
    if (isYearly(date)) yearly.add(date)
    else days.add(parseDate(date)!)
  }
  const spans = ranges.map(({ from, to }) => ({ from: parseDate(from)!, to: parseDate(to)! }))
  const weekdayMask = weekdays.reduce((mask, weekday) => mask | (1 << WEEKDAYS.indexOf(weekday)), 0)
  const spanOf = (day: number) => spans.find(({ from, to }) => from <= day && day <= to)
  return {
    name,
    weekdays: weekdayMask,
    excludes: (day) =>
      days.has(day) ||
      (weekdayMask & (1 << weekdayOf(day))) !== 0 ||
      (yearly.size > 0 && yearly.has(wallText(day * DAY_MS).slice(5, 10))) ||
      spanOf(day) !== undefined,
    dayAfter: (day) => (spanOf(day)?.to ?? day) + 1,
  }
}

/** `MM-DD`. 29 February is one: it comes in leap years. */
export const isYearly = (date: string): boolean => /^\d\d-\d\d$/.test(date) && parseDate(`2000-${date}`) !== undefined

/** The calendar that keeps an occurrence from firing on one of its days, and the first day after the excluded stretch. */
export function excludedBy(
  calendars: readonly Calendar[],
  ...walls: readonly number[]
): { readonly calendar: string; readonly untilDay: number } | undefined {
  for (const wall of walls) {
    const found = calendars.find((calendar) => calendar.excludes(dayOf(wall)))
    if (found !== undefined) return { calendar: found.name, untilDay: stretchEnd(calendars, found, dayOf(wall)) }
  }
  return undefined
}

const WHOLE_WEEK = 0b111_1111

/** A weekend, or a holiday next to one, is one stretch. Where it is cut off, the next one begins. */
function stretchEnd(calendars: readonly Calendar[], first: Calendar, from: number): number {
  if (calendars.reduce((mask, { weekdays }) => mask | weekdays, 0) === WHOLE_WEEK) return dayOf(LATEST_AT)
  let day = from
  let calendar: Calendar | undefined = first
  for (let steps = 0; calendar !== undefined && steps < 60; steps++) {
    day = calendar.dayAfter(day)
    const next: number = day
    calendar = calendars.find((each) => each.excludes(next))
  }
  return day
}
