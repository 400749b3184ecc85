import { defineError } from '@lockstep/base'

/** A failure that a workflow raises on purpose. Its own code is what `catch` and incidents see. */
export const WorkflowFault = defineError(
  'WORKFLOW_FAULT',
  { retryable: false },
  (d: { message: string; faultCode: string }) => d.message,
)
