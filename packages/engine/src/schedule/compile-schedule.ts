import { ScheduleInvalid } from './errors.ts'
import { resolveSchedule } from './resolve-schedule.ts'
import type { Schedule, ScheduleDocument } from './schedule.ts'
import { validateSchedule } from './validate-schedule.ts'

/** Checks a document and makes of it what the arithmetic works on. Warnings do not keep it from being compiled. */
export function compileSchedule(document: ScheduleDocument): Schedule {
  const problems = validateSchedule(document).filter(({ severity }) => severity === 'error')
  if (problems.length > 0) throw new ScheduleInvalid({ scheduleId: String(document?.id), problems })
  return resolveSchedule(document)
}
