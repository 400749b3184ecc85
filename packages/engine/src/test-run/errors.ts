import { defineError } from '@lockstep/base'

export const TestStepUnknown = defineError(
  'TEST_STEP_UNKNOWN',
  { retryable: false },
  (d: { definitionId: string; step: string }) =>
    `The draft of "${d.definitionId}" has no step "${d.step}": save the draft first, or name another step`,
)
