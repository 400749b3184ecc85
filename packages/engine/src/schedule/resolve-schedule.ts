import { parseDuration } from '@lockstep/base'
import { compileCalendar } from './calendar.ts'
import { parseCron } from './cron/parse-cron.ts'
import { dstRules } from './dst-rules.ts'
import { parseInstant } from './instant-text.ts'
import type { InstantText, Schedule, ScheduleDocument, Trigger } from './schedule.ts'
import { zoneOffsets } from './zone-offsets.ts'

/** Fills the defaults of a document that `checkFields` found nothing against. */
export function resolveSchedule(document: ScheduleDocument): Schedule {
  const { misfire = 'fire-once', overlap = 'skip', jitterMs = 0, calendars = [], paused = false } = document
  return {
    id: document.id,
    trigger: resolveTrigger(document),
    zone: zoneOffsets(document.trigger.zone ?? 'UTC')!,
    misfire,
    graceMs: document.graceMs,
    overlap,
    jitterMs,
    calendars: calendars.map(compileCalendar),
    startAt: instantOr(document.startAt, -Infinity),
    endAt: instantOr(document.endAt, Infinity),
    paused,
  }
}

function resolveTrigger({ trigger, dst, startAt }: ScheduleDocument): Trigger {
  // A caller in JavaScript may name a field and leave it undefined.
  if ('interval' in trigger && trigger.interval !== undefined) {
    const anchorAt = instantOr(trigger.anchor ?? startAt, 0)
    return { kind: 'interval', everyMs: parseDuration(trigger.interval), anchorAt }
  }
  if ('at' in trigger && trigger.at !== undefined) return { kind: 'once', at: parseInstant(trigger.at)! }
  const result = parseCron((trigger as { cron: string }).cron)
  if (result.status === 'malformed') throw new TypeError(result.fault)
  return { kind: 'cron', cron: result.cron, dst: dstRules(dst, result.cron.everyHour) }
}

function instantOr(value: InstantText | undefined, otherwise: number): number {
  return value === undefined ? otherwise : parseInstant(value)!
}
