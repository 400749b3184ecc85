import { Cancelled } from '@lockstep/base'
import { isBreach, type StepKey } from '../journal/fact.ts'
import { inTransaction, reasonOf } from '../step/in-transaction.ts'
import { toKept } from '../step/payload.ts'
import { entryValue } from './entry-value.ts'
import type { FunctionExecution } from './function-execution.ts'
import type { CompensationPlan } from './saga-port.ts'
import type { WorkflowTransaction } from './workflow-context.ts'

type Code<T> = (tx: WorkflowTransaction) => Promise<T>

/** SQL of the user's that commits together with the record of the step. Answered from the record once it is there. */
export async function runTransaction<T>(
  execution: FunctionExecution,
  name: string,
  code: Code<T>,
  compensation?: CompensationPlan,
): Promise<T> {
  const { saga } = execution
  const step = execution.keyOf(name)
  saga.register(step, compensation)
  const known = execution.recall(step)
  if (known !== undefined) return (await saga.answer(step, known)) as T
  // What did not commit has not happened: nothing has to be found out about it.
  if (!saga.mayBegin(step)) return new Promise(() => {})
  const work = () => transact(execution, step, code, compensation !== undefined)
  return execution.whileActive(() => (compensation === undefined ? work() : saga.atWork(step, work)))
}

async function transact<T>(execution: FunctionExecution, step: StepKey, code: Code<T>, undo: boolean): Promise<T> {
  await execution.beyondRecord(step)
  try {
    const result = await execution.host.transact({
      run: inTransaction(step, async (tx) => {
        if (!execution.saga.mayBegin(step)) throw new Cancelled({ what: `Step "${step}"` })
        const output = toKept(await code(tx), `The result of "${step}"`, execution.shell.limits)
        const shown = execution.secrets.json(output)
        const fact = {
          ...({ kind: 'completed', step, outcome: 'done', output: shown } as const),
          ...(undo && { undo: true as const }),
        }
        return { result: shown, change: { facts: [fact] } }
      }),
      applied: ({ facts }, at) => {
        for (const fact of facts) execution.memo.fold(fact, at)
      },
    })
    return result as T
  } catch (error) {
    // Recorded, so that code which catches it comes the same way when it runs again.
    const fact = { kind: 'failed', step, attempt: 1, error: execution.failureOf(reasonOf(error), step) } as const
    if (isBreach(fact.error)) return execution.settleBreach(fact)
    execution.settle(fact)
    return entryValue(execution.memo.entries.get(step)!) as T
  }
}
