import type { StepKey, Wait } from '../journal/fact.ts'
import type { FunctionExecution } from './function-execution.ts'
import type { MemoEntry } from './function-memo.ts'

/** Answers from the record, or waits: opens the wait first when the journal does not have it yet. */
export async function waitAt(execution: FunctionExecution, step: StepKey, wait: () => Wait): Promise<MemoEntry> {
  const known = execution.recall(step)
  if (known !== undefined) return known
  if (execution.memo.waits.has(step)) return execution.ended(step)
  await execution.whileActive(async () => execution.beyondRecord(step))
  if (!execution.saga.mayBegin(step)) return new Promise(() => {})
  const ended = execution.ended(step)
  execution.openWait(step, wait())
  return ended
}
