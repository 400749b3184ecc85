import type { StepKey } from '../journal/fact.ts'
import type { FunctionExecution } from './function-execution.ts'
import { undoKey } from './saga-memo.ts'

/** Undoes what was done so far, newest first; only steps of these names where there are any. */
export async function compensate(execution: FunctionExecution, names: readonly string[]): Promise<void> {
  const { memo, saga } = execution
  const step = execution.keyOf('@compensate')
  const known = execution.recall(step)
  const recorded = memo.saga.lines.get(step)
  if (known !== undefined) {
    for (const each of recorded ?? []) execution.recall(undoKey(each))
    return
  }
  if (!saga.mayBegin(step)) return new Promise(() => {})
  if (recorded === undefined) await execution.whileActive(async () => execution.beyondRecord(step))
  const line = recorded ?? memo.saga.toUndo().filter((each) => isAbout(each, names))
  // What is undone is decided once: a replay may know of more.
  if (recorded === undefined) execution.record({ kind: 'undoing', step, steps: line })
  for (const each of line) {
    const failure = await saga.undo(each)
    if (failure === undefined) continue
    saga.failed(each, failure)
    return new Promise(() => {})
  }
  execution.settle({ kind: 'completed', step, outcome: 'done', output: { undone: line.length } })
}

/** Keys are names, numbered from the second call on. */
const isAbout = (step: StepKey, names: readonly string[]): boolean =>
  names.length === 0 || names.some((name) => step === name || step.startsWith(`${name}#`))
