/** A field of a cron, and what its values may be. */
export interface CronField {
  readonly name: string
  readonly min: number
  readonly max: number
  /** Names of the values from `min` on. */
  readonly names?: readonly string[]
  /** What to write, shown with every complaint. */
  readonly example: string
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

export const SECOND: CronField = { name: 'second', min: 0, max: 59, example: '0, */10 or 0-30' }
export const MINUTE: CronField = { name: 'minute', min: 0, max: 59, example: '0, */15 or 0,30' }
export const HOUR: CronField = { name: 'hour', min: 0, max: 23, example: '2, 8-17 or */6' }
export const DAY_OF_MONTH: CronField = { name: 'day of month', min: 1, max: 31, example: '1, 1,15, L, L-2, 15W or LW' }
export const MONTH: CronField = { name: 'month', min: 1, max: 12, names: MONTHS, example: '1-12 or JAN-DEC' }
export const DAY_OF_WEEK: CronField = {
  name: 'day of week',
  min: 0,
  max: 7,
  names: DAYS,
  example: 'MON-FRI, 0-7 (0 and 7 are Sunday), MON#2 or FRIL',
}

/** What is wrong with a cron. `parseCron` turns it into its result; it never leaves this folder. */
export class CronFault extends Error {
  static in(field: CronField, what: string): CronFault {
    return new CronFault(`${field.name}: ${what}. Write ${field.example}`)
  }
}

/** One element of a list as plain values: `*`, `a`, `a-b`, each with `/n`. */
export function parseRange(field: CronField, text: string): readonly number[] {
  const [range = '', step, ...rest] = text.split('/')
  if (rest.length > 0) throw CronFault.in(field, `"${text}" has more than one /`)
  const by = step === undefined ? 1 : parseStep(field, text, step)
  const [from, to] = range === '*' ? [field.min, lastValue(field)] : parseBounds(field, range, step !== undefined)
  return Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, index) => from + index * by)
}

/** A number or a name. */
export function parseValue(field: CronField, text: string): number {
  const named = field.names?.indexOf(text.toUpperCase()) ?? -1
  if (named >= 0) return field.min + named
  if (!/^\d{1,4}$/.test(text))
    throw CronFault.in(field, text === '' ? 'a value is missing' : `"${text}" is no value of this field`)
  const value = Number(text)
  if (value < field.min || value > field.max)
    throw CronFault.in(field, `${text} is not between ${field.min} and ${field.max}`)
  return value
}

/** Sunday counts once in `*`, whatever its second number. */
const lastValue = (field: CronField): number => (field === DAY_OF_WEEK ? 6 : field.max)

function parseStep(field: CronField, text: string, step: string): number {
  const by = /^\d{1,4}$/.test(step) ? Number(step) : 0
  if (by < 1) throw CronFault.in(field, `the step of "${text}" must be a number of at least 1`)
  if (by > field.max - field.min) throw CronFault.in(field, `the step of "${text}" is longer than the field`)
  return by
}

function parseBounds(field: CronField, range: string, stepped: boolean): readonly [number, number] {
  const [low = '', high, ...rest] = range.split('-')
  if (rest.length > 0) throw CronFault.in(field, `"${range}" has more than one -`)
  const from = parseValue(field, low)
  if (high === undefined) return [from, stepped ? lastValue(field) : from]
  // FRI-SUN: at the end of a range Sunday is the seventh day.
  const to = field === DAY_OF_WEEK && high.toUpperCase() === 'SUN' ? 7 : parseValue(field, high)
  if (from > to) throw CronFault.in(field, `"${range}" runs backwards: split it in two, joined by a comma`)
  return [from, to]
}
