import { defineError } from '@lockstep/base'

export const WorkflowFailed = defineError(
  'WORKFLOW_FAILED',
  { retryable: false },
  (d: { instanceId: string; workflow: string; status: string; code: string; message: string; step: string }) =>
    `Workflow "${d.workflow}" ended as ${d.status}${d.step === '' ? '' : ` at "${d.step}"`}: ${d.message} [${d.code}]`,
)
