import { excludedBy } from './calendar.ts'
import { nextCronOccurrence } from './next-cron-occurrence.ts'
import type { Occurrence } from './occurrence.ts'
import type { Schedule } from './schedule.ts'
import { DAY_MS, EARLIEST_AT, LATEST_AT } from './wall-time.ts'

export type Upcoming = Occurrence & {
  /** Name of the calendar that keeps it from firing. */
  readonly excludedBy?: string
  /** Search on after this. Excluded days in a row are passed over as one, by their first occurrence. */
  readonly resumeAfter: number
}

/** Calendars that exclude more than this in a row leave nothing: 38 years of a weekly schedule, 100 of a yearly one. */
const MOST_EXCLUSIONS = 2_000
const LONGEST_SEARCH_MS = 100 * 366 * DAY_MS

/** The first instant strictly after `after` at which the schedule fires; `undefined`: never again. Pauses are not looked at. */
export function nextFire(schedule: Schedule, after: number): number | undefined {
  return nextFiring(schedule, after)?.at
}

export function nextFiring(schedule: Schedule, after: number): Upcoming | undefined {
  let from = after
  let searchedMs = 0
  for (let excluded = 0; excluded < MOST_EXCLUSIONS && searchedMs < LONGEST_SEARCH_MS; excluded++) {
    const upcoming = nextOccurrence(schedule, from)
    if (upcoming?.excludedBy === undefined) return upcoming
    // Days that a calendar passes over are no search, however many.
    if (excluded > 0) searchedMs += upcoming.at - from
    from = upcoming.resumeAfter
  }
  return undefined
}

/** Like `nextFiring`, but stops at an excluded occurrence too. */
export function nextOccurrence(schedule: Schedule, after: number): Upcoming | undefined {
  const from = Math.max(Math.floor(after), schedule.startAt - 1, EARLIEST_AT)
  if (!(from < LATEST_AT)) return undefined
  const occurrence = nextOfTrigger(schedule, from)
  if (occurrence === undefined || occurrence.at >= Math.min(schedule.endAt, LATEST_AT)) return undefined
  return schedule.calendars.length === 0 ? { ...occurrence, resumeAfter: occurrence.at } : judge(schedule, occurrence)
}

function nextOfTrigger({ trigger, zone }: Schedule, after: number): Occurrence | undefined {
  const plain = (at: number): Occurrence => ({ at, wall: at + zone.spanAt(at).offsetMs })
  switch (trigger.kind) {
    case 'cron':
      return nextCronOccurrence(trigger.cron, zone, trigger.dst, after)
    case 'interval':
      return plain(trigger.anchorAt + (Math.floor((after - trigger.anchorAt) / trigger.everyMs) + 1) * trigger.everyMs)
    case 'once':
      return trigger.at > after ? plain(trigger.at) : undefined
  }
}

/** A shifted occurrence is excluded with the day that it was meant for and with the day that it lands on. */
function judge({ calendars, zone }: Schedule, occurrence: Occurrence): Upcoming {
  const { at, wall } = occurrence
  const { offsetMs, toAt } = zone.spanAt(at)
  const excluded = excludedBy(calendars, wall, at + offsetMs)
  if (excluded === undefined) return { ...occurrence, resumeAfter: at }
  const dayBegins = excluded.untilDay * DAY_MS - offsetMs
  // Behind a change of the offset the day may begin at another instant, though never two days off.
  const resumeAt = dayBegins < toAt ? dayBegins : Math.max(toAt, dayBegins - 2 * DAY_MS)
  return { ...occurrence, excludedBy: excluded.calendar, resumeAfter: Math.max(at, resumeAt - 1) }
}
