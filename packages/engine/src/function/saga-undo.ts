import type { Json } from '@lockstep/base'
import type { Failure, StepKey } from '../journal/fact.ts'
import { stepPolicies } from './enter-step.ts'
import { StepFailed } from './errors.ts'
import type { FunctionExecution } from './function-execution.ts'
import { runStepAt } from './run-step.ts'
import { undoKey } from './saga-memo.ts'
import type { CompensationPlan } from './saga-port.ts'

/** Runs the compensation of a completed step until it has an end that is recorded. Answers what it failed with, where it did. */
export async function runUndo(
  execution: FunctionExecution,
  step: StepKey,
  { run, retry, timeoutMs }: CompensationPlan,
): Promise<Failure | undefined> {
  const entry = execution.memo.entries.get(step)
  const result = (entry?.kind === 'completed' ? entry.output : null) as Json as never
  const key = undoKey(step)
  try {
    await runStepAt(execution, key, {
      code: async (scope) => {
        await run(result, scope)
      },
      retry,
      timeoutMs,
      effect: 'atLeastOnce',
      policies: stepPolicies({}),
    })
    return undefined
  } catch (error) {
    if (!StepFailed.is(error)) throw error
    const { code, message } = error.details
    return { code, message, step: key }
  }
}
