import { defineError } from '@lockstep/base'
import type { FormProblem } from './form.ts'

export const FormInvalid = defineError(
  'FORM_INVALID',
  { retryable: false },
  (d: { problems: readonly FormProblem[] }) =>
    `What was handed in does not fit the form: ${d.problems
      .slice(0, 3)
      .map((each) => `${each.pointer || '/'} ${each.text}`)
      .join('; ')}`,
)

export const UnknownOutcome = defineError(
  'UNKNOWN_OUTCOME',
  { retryable: false },
  (d: { outcome: string | undefined; outcomes: readonly string[] }) =>
    d.outcome === undefined
      ? `Choose one of the outcomes ${d.outcomes.join(', ')}`
      : `There is no outcome "${d.outcome}" to choose: use one of ${d.outcomes.join(', ')}`,
)

/** What a refused worker or person is told: how it was refused, and how the task stands. */
interface RefusedTask {
  readonly id: string
  readonly outcome: 'already-completed' | 'lease-lost' | 'cancelled'
  readonly task: unknown
}

export const TaskNotFound = defineError(
  'TASK_NOT_FOUND',
  { retryable: false },
  (d: { id: string }) => `No task ${d.id} exists`,
)

export const TaskAlreadyCompleted = defineError(
  'TASK_ALREADY_COMPLETED',
  { retryable: false },
  (d: RefusedTask) => `Task ${d.id} was completed already: the first one counts`,
)

export const TaskLeaseLost = defineError(
  'TASK_LEASE_LOST',
  { retryable: false },
  (d: RefusedTask) => `The claim on task ${d.id} has ended: what was done under it does not count. Claim it again`,
)

export const TaskCancelled = defineError(
  'TASK_CANCELLED',
  { retryable: false },
  (d: RefusedTask) => `Nobody waits for task ${d.id} any more: its step timed out or its workflow has ended`,
)

/** The same for every token that does not open anything: strangers learn nothing. */
export const TokenNotFound = defineError(
  'TOKEN_NOT_FOUND',
  { retryable: false },
  (_: object) => 'This token does not stand for anything: it is wrong, has expired, or is not needed any more',
)
