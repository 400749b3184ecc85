import type { Cron, MonthDays, NextValue, WeekDays } from './cron.ts'
import { CronFault, type CronField, HOUR, MINUTE, MONTH, parseRange, SECOND } from './cron-field.ts'
import { parseMonthDays, parseWeekdays } from './parse-days.ts'

export type CronResult =
  | { readonly status: 'parsed'; readonly cron: Cron }
  | { readonly status: 'malformed'; readonly fault: string }

const NICKNAMES: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
])
/** Longer than lists of every second and every minute. */
const LONGEST = 1_000

/** Thousands of schedules share a few texts. Forgotten all at once when there are too many. */
const parsed = new Map<string, CronResult>()
const MOST_PARSED = 1_000

/** The meaning of a cron text (see `cron.ts`), or what is wrong with it and what to write. */
export function parseCron(text: string): CronResult {
  const known = parsed.get(text)
  if (known !== undefined) return known
  const result = parseAnew(text)
  if (parsed.size >= MOST_PARSED) parsed.clear()
  if (text.length <= LONGEST) parsed.set(text, result)
  return result
}

function parseAnew(text: string): CronResult {
  try {
    return { status: 'parsed', cron: parse(text.trim()) }
  } catch (error) {
    if (error instanceof CronFault) return { status: 'malformed', fault: error.message }
    throw error
  }
}

function parse(text: string): Cron {
  if (text.length > LONGEST) throw new CronFault(`it is longer than ${LONGEST} characters`)
  const fields = expandNickname(text).split(/\s+/)
  if (fields.length === 5) fields.unshift('0')
  if (fields.length !== 6) throw new CronFault(fieldCount(text, fields.length))
  const [second, minute, hour, dayOfMonth, month, dayOfWeek] = fields as [
    string,
    string,
    string,
    string,
    string,
    string,
  ]
  const both = dayOfWeek.startsWith('+')
  const hours = parseList(HOUR, hour)
  return {
    second: nextValues(SECOND, parseList(SECOND, second)),
    minute: nextValues(MINUTE, parseList(MINUTE, minute)),
    hour: nextValues(HOUR, hours),
    months: parseList(MONTH, month),
    ...joinDays(parseMonthDays(dayOfMonth), parseWeekdays(both ? dayOfWeek.slice(1) : dayOfWeek), both),
    everyHour: hours.size === 24,
  }
}

function expandNickname(text: string): string {
  if (!text.startsWith('@')) return text
  const pattern = NICKNAMES.get(text.toLowerCase())
  if (pattern === undefined) throw new CronFault(`"${text}" is not one of ${[...NICKNAMES.keys()].join(', ')}`)
  return pattern
}

function fieldCount(text: string, count: number): string {
  if (text === '')
    return 'it is empty. Write five fields (minute hour day-of-month month day-of-week), such as 30 2 * * *'
  const years = count === 7 ? ' Years have no field: use startAt and endAt.' : ''
  return `it has ${count} field${count === 1 ? '' : 's'}, not five (minute hour day-of-month month day-of-week) or six (with the second first).${years}`
}

const parseList = (field: CronField, text: string): ReadonlySet<number> =>
  new Set(text.split(',').flatMap((element) => parseRange(field, element)))

function nextValues(field: CronField, allowed: ReadonlySet<number>): NextValue {
  const table = new Int8Array(field.max + 2).fill(-1)
  for (let value = field.max; value >= 0; value--) table[value] = allowed.has(value) ? value : table[value + 1]!
  return table
}

function joinDays(
  monthDays: MonthDays | undefined,
  weekdays: WeekDays | undefined,
  both: boolean,
): Pick<Cron, 'monthDays' | 'weekdays' | 'days'> {
  const none = { mask: 0, fromLast: [], nearestWorkdays: [], lastWorkday: false, nth: [], last: [] }
  const days =
    monthDays === undefined
      ? weekdays === undefined
        ? 'any'
        : 'weekdays'
      : weekdays === undefined
        ? 'month-days'
        : both
          ? 'both'
          : 'either'
  return { monthDays: monthDays ?? none, weekdays: weekdays ?? none, days }
}
