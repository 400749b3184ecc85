import { toFailure } from '../step/failure.ts'
import { inTransaction, reasonOf } from '../step/in-transaction.ts'
import { toPayload } from '../step/payload.ts'
import { entryValue } from './entry-value.ts'
import type { FunctionExecution } from './function-execution.ts'
import type { WorkflowTransaction } from './workflow-context.ts'

/** SQL of the user's that commits together with the record of the step. Answered from the record once it is there. */
export async function runTransaction<T>(
  execution: FunctionExecution,
  name: string,
  code: (tx: WorkflowTransaction) => Promise<T>,
): Promise<T> {
  const step = execution.keyOf(name)
  const known = execution.recall(step)
  if (known !== undefined) return entryValue(known) as T
  return execution.whileActive(async () => {
    await execution.beyondRecord(step)
    try {
      const result = await execution.host.transact({
        run: inTransaction(step, async (tx) => {
          const output = toPayload(await code(tx), `The result of "${step}"`)
          return { result: output, change: { facts: [{ kind: 'completed', step, outcome: 'done', output }] } }
        }),
        applied: ({ facts }, at) => {
          for (const fact of facts) execution.memo.fold(fact, at)
        },
      })
      return result as T
    } catch (error) {
      // Recorded, so that code which catches it comes the same way when it runs again.
      execution.settle({ kind: 'failed', step, attempt: 1, error: toFailure(reasonOf(error), step) })
      return entryValue(execution.memo.entries.get(step)!) as T
    }
  })
}
