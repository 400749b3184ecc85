import type { CompensationView } from '../graph/saga/compensation.ts'
import type { FunctionMemo } from './function-memo.ts'
import { undoKey } from './saga-memo.ts'

/** Steps of a function that can be undone or were, in order of completion. */
export function functionCompensations(memo: FunctionMemo): CompensationView[] {
  const { undoable, undone, undoing } = memo.saga
  const lines = [...memo.saga.lines].filter(([step]) => !memo.entries.has(step)).map(([, line]) => line)
  const under = undoing === undefined ? lines : [memo.saga.toUndo(), ...lines]
  const current = new Set(undoing?.skips ? [] : under.map((line) => line.find((step) => !undone.has(step))))
  return [...undoable].map((step): CompensationView => {
    if (undone.has(step)) return { step, state: 'undone' }
    if (memo.entries.get(undoKey(step))?.kind === 'failed') return { step, state: 'failed' }
    return { step, state: current.has(step) ? 'undoing' : 'to-undo' }
  })
}
