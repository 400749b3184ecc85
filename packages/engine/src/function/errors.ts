import { defineError, type Json } from '@lockstep/base'

export const NonDeterministic = defineError(
  'NON_DETERMINISTIC',
  { retryable: false },
  (d: { asked: string; recorded: string }) =>
    `The code asked for ${d.asked}, but the journal of this run has ${d.recorded} there. Code that changed its steps needs a new version of the workflow`,
)

export const StepFailed = defineError(
  'STEP_FAILED',
  { retryable: false },
  (d: { step: string; code: string; message: string; data?: Json }) => d.message,
)

export const ChildFailed = defineError(
  'CHILD_FAILED',
  { retryable: false },
  (d: { child: string; status: string; message: string }) => `Workflow "${d.child}" ended as ${d.status}: ${d.message}`,
)

export const LocksNotConfigured = defineError(
  'LOCKS_NOT_CONFIGURED',
  { retryable: false },
  (d: { name: string }) =>
    `Lock "${d.name}" cannot be taken: this engine was opened without locks. Pass \`locks\`, a coordinator of @lockstep/coordination`,
)
