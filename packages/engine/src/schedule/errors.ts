import { defineError } from '@lockstep/base'
import type { ScheduleProblem } from './schedule-problem.ts'

export const ScheduleInvalid = defineError(
  'SCHEDULE_INVALID',
  { retryable: false },
  (d: { scheduleId: string; problems: readonly ScheduleProblem[] }) =>
    `Schedule "${d.scheduleId}" has ${d.problems.length} problem(s): ${d.problems
      .slice(0, 3)
      .map((problem) => `${problem.pointer || '/'} ${problem.text}`)
      .join('; ')}`,
)

export const ScheduleNotFound = defineError(
  'SCHEDULE_NOT_FOUND',
  { retryable: false },
  (d: { scheduleId: string }) => `No schedule "${d.scheduleId}" exists`,
)

export const ScheduleExists = defineError(
  'SCHEDULE_EXISTS',
  { retryable: false },
  (d: { scheduleId: string }) => `A schedule "${d.scheduleId}" exists already. Replace it with its revision instead`,
)

export const ScheduleChanged = defineError(
  'SCHEDULE_CHANGED',
  { retryable: false },
  (d: { scheduleId: string; revision: number }) =>
    `Schedule "${d.scheduleId}" was changed meanwhile (it is at revision ${d.revision}). Read it again and repeat the change`,
)

export const ScheduleOwned = defineError(
  'SCHEDULE_OWNED',
  { retryable: false },
  (d: { scheduleId: string; owner: string }) =>
    `Schedule "${d.scheduleId}" is made by its ${d.owner === 'job' ? 'job' : `workflow (${d.owner})`}: change it there. It can be paused and triggered here`,
)
