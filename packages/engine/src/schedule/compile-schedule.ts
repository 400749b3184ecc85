import { ScheduleInvalid } from './errors.ts'
import { resolveSchedule } from './resolve-schedule.ts'
import type { Schedule, ScheduleDocument } from './schedule.ts'
import { type ScheduleProblem, whenSaved } from './schedule-problem.ts'
import { validateSchedule } from './validate-schedule.ts'

/** Checks a document and makes of it what the arithmetic works on. Warnings do not keep it from being compiled. */
export function compileSchedule(document: ScheduleDocument): Schedule {
  refuse(document, validateSchedule(document))
  return resolveSchedule(document)
}

/** Checks a document that somebody wants to save: besides, it must fire some time. Throws `SCHEDULE_INVALID`. */
export function acceptSchedule(document: ScheduleDocument): void {
  refuse(document, validateSchedule(document).map(whenSaved))
}

function refuse(document: ScheduleDocument, found: readonly ScheduleProblem[]): void {
  const problems = found.filter(({ severity }) => severity === 'error')
  if (problems.length > 0) throw new ScheduleInvalid({ scheduleId: String(document?.id), problems })
}
