import type { Programs } from '../../definition/programs.ts'
import { FunctionMemo } from '../../function/function-memo.ts'
import { functionCompensations } from '../../function/saga-view.ts'
import { foldJournal } from '../../graph/fold-journal.ts'
import type { CompensationView } from '../../graph/saga/compensation.ts'
import { compensationsOf } from '../../graph/saga/compensation-view.ts'
import { factFromRow } from '../../journal/fact.ts'
import type { EngineStore } from '../../store/engine-store.ts'
import type { Blocker, BlockerSource } from '../../why/why.ts'

export interface SagaReader {
  readonly store: Pick<EngineStore, 'agenda' | 'instances'>
  readonly programs: Pick<Programs, 'get'>
}

/** Which steps of an instance can be undone or were, as its journal tells; empty where this node does not have its program. */
export async function readCompensations(
  { store, programs }: SagaReader,
  tenant: string,
  instanceId: string,
): Promise<readonly CompensationView[]> {
  const [loaded] = await store.agenda.load([instanceId])
  if (loaded === undefined || loaded.tenant !== tenant) return []
  const { definitionId, version, facts, snapshot, snapshotAt } = loaded
  const program = await programs.get(tenant, definitionId, version).catch(() => undefined)
  if (program?.kind === 'graph') {
    const last = snapshotAt === undefined ? undefined : { state: snapshot, at: snapshotAt }
    return compensationsOf(foldJournal(program.graph, last, facts))
  }
  const memo = new FunctionMemo()
  for (const row of facts) memo.fold(factFromRow(row), row.at)
  return functionCompensations(memo)
}

/** Says of an instance that is being undone, or could not be, how far that has come. */
export function sagaBlockers(reader: SagaReader): BlockerSource {
  return async ({ tenant, instanceId }) => {
    const status = (await reader.store.instances.statuses(tenant, [instanceId])).get(instanceId)
    if (status !== 'compensating' && status !== 'faulted') return []
    const all = await readCompensations(reader, tenant, instanceId)
    const failed = all.find(({ state }) => state === 'failed')
    if (failed !== undefined) return [failedBlocker(failed.step, all)]
    return status === 'compensating' ? [blockerOf(all)] : []
  }
}

function failedBlocker(step: string, all: readonly CompensationView[]): Blocker {
  const undone = all.filter(({ state }) => state === 'undone').length
  return {
    kind: 'compensation-failed',
    text: `Step "${step}" could not be undone: ${undone} of ${all.length} steps are, and a retry goes on from there`,
  }
}

function blockerOf(all: readonly CompensationView[]): Blocker {
  const named = (state: CompensationView['state']): string[] =>
    all.filter((each) => each.state === state).map(({ step }) => `"${step}"`)
  const [now, left, over] = [named('undoing'), named('to-undo').reverse(), named('undone').length]
  const current =
    now.length === 0 ? 'It waits for what must end before anything is undone' : `It undoes ${now.join(', ')}`
  const after = left.length === 0 ? 'nothing is left after that' : `then come ${left.slice(0, 5).join(', ')}`
  const more = left.length > 5 ? ` and ${left.length - 5} more` : ''
  return { kind: 'compensating', text: `${current}; ${after}${more}; ${over} of ${all.length} steps are undone` }
}
