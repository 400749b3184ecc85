import { FunctionMemo } from '../function/function-memo.ts'
import { foldJournal } from '../graph/fold-journal.ts'
import { isUndone } from '../graph/saga/undo-all.ts'
import { programOf } from '../instance/state-at.ts'
import { factFromRow } from '../journal/fact.ts'
import type { InstanceView } from '../store/instance-reader.ts'
import type { VerbContext } from './verb-context.ts'

/**
 * Whether a faulted instance cannot go on, because what it did was undone. One that is being undone goes on with that, but from no
 * step of its own. It has ended, so that nothing of this changes until it is retried.
 */
export async function wasUndone(
  { programs, store }: Pick<VerbContext, 'programs' | 'store'>,
  view: InstanceView,
  fromStep: boolean,
): Promise<boolean> {
  const [loaded] = await store.agenda.load([view.id])
  if (loaded === undefined) return false
  const program = await programOf(programs, view, view.version)
  if (program?.kind === 'graph') {
    const { snapshot, snapshotAt, facts } = loaded
    const last = snapshotAt === undefined ? undefined : { state: snapshot, at: snapshotAt }
    const state = foldJournal(program.graph, last, facts)
    return isUndone(state) || (fromStep && state.undoing !== undefined)
  }
  const { saga } = loaded.facts.reduce((memo, row) => {
    memo.fold(factFromRow(row), row.at)
    return memo
  }, new FunctionMemo())
  return saga.isUndone || (fromStep && saga.undoing !== undefined)
}
