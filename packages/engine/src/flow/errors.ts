import { defineError } from '@lockstep/base'
import type { GraphProblem } from '../graph/graph-problem.ts'

export const FlowPolicyInvalid = defineError(
  'FLOW_POLICY_INVALID',
  { retryable: false },
  (d: { definitionId: string; problems: readonly GraphProblem[] }) =>
    `The flow policy of "${d.definitionId}" has ${d.problems.length} problem(s): ${d.problems
      .slice(0, 3)
      .map((problem) => `${problem.pointer || '/'} ${problem.text}`)
      .join('; ')}`,
)

export const FlowPolicyChanged = defineError(
  'FLOW_POLICY_CHANGED',
  { retryable: false },
  (d: { definitionId: string; revision: number }) =>
    `The flow policy of "${d.definitionId}" was changed meanwhile (it is at revision ${d.revision}). Read it again and repeat the change`,
)

export const FlowKeyFailed = defineError(
  'FLOW_KEY_FAILED',
  { retryable: false },
  (d: { definitionId: string; member: string; reason: string }) =>
    `"${d.member}" of the flow policy of "${d.definitionId}" cannot be computed from this input: ${d.reason}. Nothing was started`,
)

export const StartThrottled = defineError(
  'START_THROTTLED',
  { retryable: true },
  (d: { definitionId: string; key: string; retryAfterMs: number }) =>
    `"${d.definitionId}"${d.key === '' ? '' : ` with key "${d.key}"`} was started as often as its throttle allows. Try again in ${d.retryAfterMs} ms`,
)

export const SingletonBusy = defineError(
  'SINGLETON_BUSY',
  { retryable: true },
  (d: { definitionId: string; key: string; instanceId: string }) =>
    `"${d.definitionId}"${d.key === '' ? '' : ` with key "${d.key}"`} is running as ${d.instanceId}, and may run once at a time`,
)
