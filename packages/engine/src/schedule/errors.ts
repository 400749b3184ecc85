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
