/**
 * Cron, as this engine reads it: `[second] minute hour day-of-month month day-of-week`.
 *
 * Every field: `*`, values, `a-b` ranges, `/n` steps (`5/15` runs from 5 to the end), lists. Months and weekdays have names; 7 is Sunday too.
 * Day of month: `L` (last day), `L-3` (three days before), `15W` (working day nearest to the 15th, in its month), `LW` (last working day).
 * Day of week: `MON#2` (second Monday), `FRIL` or `FRI#L` (last Friday). `?` means `*` in both.
 * When both day fields say something other than `*`, a day needs to match one of them (POSIX); `+` before the day of week asks for both.
 * Also `@yearly`, `@monthly`, `@weekly`, `@daily`, `@hourly`.
 */
export interface Cron {
  readonly second: NextValue
  readonly minute: NextValue
  readonly hour: NextValue
  readonly months: ReadonlySet<number>
  readonly monthDays: MonthDays
  readonly weekdays: WeekDays
  /** How the two day fields join. */
  readonly days: 'any' | 'month-days' | 'weekdays' | 'either' | 'both'
  /** All 24 hours: the schedule follows real time rather than a time of day. */
  readonly everyHour: boolean
}

/** At each index the smallest allowed value that is not below it, or -1. One longer than the field. */
export type NextValue = Int8Array

export interface MonthDays {
  /** Bit 0 is the 1st. */
  readonly mask: number
  /** Days before the last day of the month: 0 for `L`. */
  readonly fromLast: readonly number[]
  readonly nearestWorkdays: readonly number[]
  readonly lastWorkday: boolean
}

export interface WeekDays {
  /** Bit 0 is Sunday. */
  readonly mask: number
  readonly nth: readonly { readonly weekday: number; readonly nth: number }[]
  readonly last: readonly number[]
}
