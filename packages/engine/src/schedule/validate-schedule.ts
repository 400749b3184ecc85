import { checkFields } from './check-fields.ts'
import { checkShape } from './check-shape.ts'
import { nextFire } from './next-occurrence.ts'
import { resolveSchedule } from './resolve-schedule.ts'
import type { Schedule, ScheduleDocument } from './schedule.ts'
import { type ScheduleProblem, warning } from './schedule-problem.ts'

const RECENT_AT = Date.UTC(2000, 0, 1)

/**
 * Everything that is wrong or doubtful about a document; the same list for the same document everywhere.
 * A document of the wrong shape is judged by its shape alone, and only one whose fields are right is looked at as a whole.
 */
export function validateSchedule(document: unknown): readonly ScheduleProblem[] {
  const shape = checkShape(document)
  if (shape.length > 0) return shape
  const fields = checkFields(document as ScheduleDocument)
  if (fields.length > 0) return fields
  return [...doubts(document as ScheduleDocument)]
}

function* doubts(document: ScheduleDocument): Iterable<ScheduleProblem> {
  const schedule = resolveSchedule(document)
  const { trigger, misfire, overlap } = schedule
  if (!everFires(schedule)) yield neverFires(schedule)
  if (trigger.kind === 'cron' && trigger.cron.days === 'either')
    yield warning(
      '/trigger/cron',
      'EITHER_DAY_MATCHES',
      '"trigger/cron" names days of the month and of the week, and fires on either: put + before the day of week to ask for both',
    )
  if (typeof misfire === 'object' && misfire.catchUp > 1 && overlap === 'skip')
    yield warning(
      '/overlap',
      'CATCH_UP_OVERLAPS',
      '"overlap" skip lets only the first of the caught-up occurrences run: choose queue or allow',
    )
  if (trigger.kind !== 'cron' && document.dst !== undefined)
    yield warning('/dst', 'NO_EFFECT', '"dst" concerns wall times, which only cron has: remove it')
  for (const [index, { dates = [], ranges = [], weekdays = [] }] of (document.calendars ?? []).entries()) {
    if (dates.length + ranges.length + weekdays.length === 0)
      yield warning(
        `/calendars/${index}`,
        'NO_EFFECT',
        `"calendars/${index}" excludes nothing: give it dates, ranges or weekdays`,
      )
  }
}

/** Old times are looked at only where the schedule lies in them: zones are slow to look up there. */
function everFires(schedule: Schedule): boolean {
  const old = schedule.endAt < RECENT_AT || schedule.trigger.kind === 'once'
  return nextFire(schedule, old ? -Infinity : RECENT_AT) !== undefined
}

/** Blames the trigger when it alone never fires, else what narrows it down. */
function neverFires(schedule: Schedule): ScheduleProblem {
  const open = { ...schedule, startAt: -Infinity, endAt: Infinity }
  const [pointer, why] = !everFires({ ...open, calendars: [] })
    ? ['/trigger', 'no date matches "trigger/cron"']
    : !everFires(open)
      ? ['/calendars', '"calendars" exclude every occurrence']
      : ['/endAt', 'no occurrence lies between "startAt" and "endAt"']
  return warning(pointer, 'NEVER_FIRES', `The schedule never fires: ${why}`)
}
