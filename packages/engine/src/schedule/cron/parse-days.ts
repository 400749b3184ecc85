import type { MonthDays, WeekDays } from './cron.ts'
import { CronFault, DAY_OF_MONTH, DAY_OF_WEEK, parseRange, parseValue } from './cron-field.ts'

/** `undefined`: every day. */
export function parseMonthDays(text: string): MonthDays | undefined {
  if (text === '*' || text === '?') return undefined
  let mask = 0
  const fromLast: number[] = []
  const nearestWorkdays: number[] = []
  let lastWorkday = false
  for (const element of text.toUpperCase().split(',')) {
    if (element === 'L') fromLast.push(0)
    else if (element === 'LW') lastWorkday = true
    else if (element.startsWith('L-')) fromLast.push(daysBeforeLast(element))
    else if (element.endsWith('W')) nearestWorkdays.push(parseValue(DAY_OF_MONTH, element.slice(0, -1)))
    else for (const day of parseRange(DAY_OF_MONTH, element)) mask |= 1 << (day - 1)
  }
  return { mask, fromLast, nearestWorkdays, lastWorkday }
}

function daysBeforeLast(element: string): number {
  const days = /^L-(\d{1,2})$/.exec(element)?.[1]
  if (days === undefined || Number(days) > 30)
    throw CronFault.in(DAY_OF_MONTH, `"${element}" must count 0 to 30 days back from the last`)
  return Number(days)
}

/** `undefined`: every day. */
export function parseWeekdays(text: string): WeekDays | undefined {
  if (text === '*' || text === '?') return undefined
  let mask = 0
  const nth: { weekday: number; nth: number }[] = []
  const last: number[] = []
  for (const element of text.toUpperCase().split(',')) {
    if (element === 'L') throw CronFault.in(DAY_OF_WEEK, 'L needs a day, as in FRIL')
    const [day = '', which, ...rest] = element.split('#')
    if (which !== undefined) {
      if (rest.length > 0 || !/^([1-5]|L)$/.test(which))
        throw CronFault.in(DAY_OF_WEEK, `"${element}" must end in #1 to #5 or #L`)
      if (which === 'L') last.push(parseWeekday(day))
      else nth.push({ weekday: parseWeekday(day), nth: Number(which) })
    } else if (element.endsWith('L')) last.push(parseWeekday(element.slice(0, -1)))
    else for (const value of parseRange(DAY_OF_WEEK, element)) mask |= 1 << (value % 7)
  }
  return { mask, nth, last }
}

const parseWeekday = (text: string): number => parseValue(DAY_OF_WEEK, text) % 7
