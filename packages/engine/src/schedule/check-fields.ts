import { errorMessage, parseDuration } from '@lockstep/base'
import { pointerTo } from '../graph/json-pointer.ts'
import { suggestion } from '../graph/nearest-name.ts'
import { type CalendarDocument, isYearly } from './calendar.ts'
import { parseCron } from './cron/parse-cron.ts'
import { parseInstant } from './instant-text.ts'
import type { InstantText, ScheduleDocument } from './schedule.ts'
import { problem, type ScheduleProblem } from './schedule-problem.ts'
import { parseDate } from './wall-time.ts'
import { zoneOffsets } from './zone-offsets.ts'

/** All fields a trigger of any kind can have, and both targets: the shape leaves open which of them came together. */
interface LooseDocument extends Pick<ScheduleDocument, 'calendars' | 'startAt' | 'endAt'> {
  readonly trigger: {
    readonly cron?: string
    readonly interval?: string | number
    readonly anchor?: InstantText
    readonly at?: InstantText
    readonly zone?: string
  }
  readonly definitionId?: string
  readonly job?: string
}

const SHORTEST_INTERVAL_MS = 1_000

/** Everything in a document of the right shape that no schedule can be made of. */
export function checkFields(document: LooseDocument): readonly ScheduleProblem[] {
  return [
    ...checkTrigger(document.trigger),
    ...(document.calendars ?? []).flatMap((calendar, index) => [
      ...checkCalendar(calendar, pointerTo('', 'calendars', index)),
    ]),
    ...checkInstant('/startAt', document.startAt),
    ...checkInstant('/endAt', document.endAt),
    ...checkWindow(document),
    ...checkTarget(document),
  ]
}

function* checkTrigger({ cron, interval, anchor, at, zone }: LooseDocument['trigger']): Iterable<ScheduleProblem> {
  const kinds = Object.entries({ cron, interval, at }).flatMap(([kind, value]) => (value === undefined ? [] : [kind]))
  if (kinds.length === 0)
    yield problem('/trigger', 'MISSING_FIELD', '"trigger" needs one of "cron", "interval" and "at": add it')
  if (kinds.length > 1)
    yield problem('/trigger', 'AMBIGUOUS_TRIGGER', `"trigger" has ${kinds.join(' and ')}: keep one of them`)
  if (anchor !== undefined && interval === undefined)
    yield problem('/trigger/anchor', 'AMBIGUOUS_TRIGGER', '"trigger/anchor" belongs to an interval: remove it')
  if (cron !== undefined) yield* checkCron(cron)
  if (interval !== undefined) yield* checkInterval(interval)
  yield* checkInstant('/trigger/anchor', anchor)
  yield* checkInstant('/trigger/at', at)
  if (zone !== undefined && zoneOffsets(zone) === undefined) {
    const hint = suggestion(zone, ['UTC', ...Intl.supportedValuesOf('timeZone')])
    yield problem(
      '/trigger/zone',
      'UNKNOWN_ZONE',
      `"trigger/zone" ${JSON.stringify(zone.slice(0, 64))} is no IANA zone${hint || ': write a name such as Europe/Berlin or UTC'}`,
    )
  }
}

function* checkCron(cron: string): Iterable<ScheduleProblem> {
  const result = parseCron(cron)
  if (result.status === 'malformed')
    yield problem('/trigger/cron', 'INVALID_CRON', `"trigger/cron" cannot be read: ${result.fault}`)
}

function* checkInterval(interval: string | number): Iterable<ScheduleProblem> {
  try {
    if (parseDuration(interval) < SHORTEST_INTERVAL_MS)
      yield problem('/trigger/interval', 'OUT_OF_RANGE', '"trigger/interval" must be at least 1s')
  } catch (error) {
    yield problem('/trigger/interval', 'INVALID_DURATION', `"trigger/interval": ${errorMessage(error)}`)
  }
}

function* checkInstant(pointer: string, value: InstantText | undefined): Iterable<ScheduleProblem> {
  if (value === undefined || parseInstant(value) !== undefined) return
  yield problem(
    pointer,
    'INVALID_INSTANT',
    `"${pointer.slice(1)}" is no instant from 1900 to 9999: write ISO 8601 with a zone, such as 2026-03-29T01:00:00Z, or epoch milliseconds`,
  )
}

function* checkWindow({ startAt, endAt }: LooseDocument): Iterable<ScheduleProblem> {
  const from = startAt === undefined ? undefined : parseInstant(startAt)
  const to = endAt === undefined ? undefined : parseInstant(endAt)
  if (from !== undefined && to !== undefined && from >= to)
    yield problem('/endAt', 'EMPTY_RANGE', '"endAt" must be later than "startAt"')
}

function* checkTarget({ definitionId, job }: LooseDocument): Iterable<ScheduleProblem> {
  if (definitionId === undefined && job === undefined)
    yield problem('', 'MISSING_FIELD', 'The schedule needs "definitionId" or "job": add what it shall run')
  if (definitionId !== undefined && job !== undefined)
    yield problem('/job', 'AMBIGUOUS_TARGET', 'The schedule has "definitionId" and "job": keep one of them')
}

function* checkCalendar(calendar: CalendarDocument, pointer: string): Iterable<ScheduleProblem> {
  for (const [index, date] of (calendar.dates ?? []).entries()) {
    if (!isYearly(date)) yield* checkDate(pointerTo(pointer, 'dates', index), date, ', or 12-25 for every year')
  }
  for (const [index, { from, to }] of (calendar.ranges ?? []).entries()) {
    const at = pointerTo(pointer, 'ranges', index)
    yield* checkDate(`${at}/from`, from)
    yield* checkDate(`${at}/to`, to)
    if ((parseDate(from) ?? -Infinity) > (parseDate(to) ?? Infinity))
      yield problem(at, 'EMPTY_RANGE', `"${at.slice(1)}" ends before it begins: swap "from" and "to"`)
  }
}

function* checkDate(pointer: string, date: string, orElse = ''): Iterable<ScheduleProblem> {
  if (parseDate(date) === undefined)
    yield problem(
      pointer,
      'INVALID_DATE',
      `"${pointer.slice(1)}" is no date of the calendar: write it as 2026-12-25${orElse}`,
    )
}
