import type { Coordinator } from '@lockstep/coordination'
import type { Programs } from '../../definition/programs.ts'
import type { WorkflowLocks } from '../../function/function-execution.ts'
import { foldJournal } from '../../graph/fold-journal.ts'
import type { GraphState } from '../../graph/graph-state.ts'
import { openWaits } from '../../graph/waits.ts'
import type { StepKey } from '../../journal/fact.ts'
import type { EngineStore } from '../../store/engine-store.ts'
import { lockNameOf } from '../../store/lock-name.ts'
import type { Blocker, BlockerSource } from '../../why/why.ts'

export interface SectionReader {
  readonly store: Pick<EngineStore, 'agenda'>
  readonly programs: Pick<Programs, 'get'>
}

/** Says which lock a critical section waits for, for the first time or again after a move, and who has it where the store of locks tells. */
export function lockBlockers(
  reader: SectionReader,
  locks: (WorkflowLocks & Partial<Pick<Coordinator, 'monitor'>>) | undefined,
): BlockerSource {
  return async ({ tenant, instanceId, definitionId, version, state }) => {
    if (locks === undefined || (state !== 'waiting' && state !== 'held')) return []
    const graph = await readGraph(reader, { tenant, instanceId, definitionId, version })
    if (graph === undefined) return []
    const look = async (name: string) => locks.monitor?.read(lockNameOf(tenant, name)).catch(() => undefined)
    const waits = openWaits(graph).map(async ({ step, wait }) =>
      wait.kind === 'lock' ? [blockerOf(step, wait.name, await look(wait.name))] : [],
    )
    const lost = openSections(graph).map(async ({ step, name }) => {
      const seen = await look(name)
      const holder = seen?.holders[0]?.holder
      if (holder === undefined || ownerOf(holder) === instanceId) return []
      return [blockerOf(step, name, seen, ', which it had before it moved')]
    })
    return (await Promise.all([...waits, ...lost])).flat()
  }
}

interface Subject {
  readonly tenant: string
  readonly instanceId: string
  readonly definitionId: string
  readonly version: number
}

/** No fact says that a section is over: only the fold knows. `undefined`: it has no sections, or has moved on meanwhile. */
async function readGraph(
  { store, programs }: SectionReader,
  { tenant, instanceId, definitionId, version }: Subject,
): Promise<GraphState | undefined> {
  const program = await programs.get(tenant, definitionId, version).catch(() => undefined)
  if (program?.kind !== 'graph') return undefined
  if (!program.graph.activities.some(({ container }) => container === 'critical-section')) return undefined
  const [loaded] = await store.agenda.load([instanceId])
  if (loaded?.tenant !== tenant || loaded.version !== version) return undefined
  const { snapshot, snapshotAt, facts } = loaded
  return foldJournal(program.graph, snapshotAt === undefined ? undefined : { state: snapshot, at: snapshotAt }, facts)
}

/** Their lock is held wherever the instance is, and taken again after a move. */
const openSections = ({ executions }: GraphState): readonly { readonly step: StepKey; readonly name: string }[] =>
  Object.entries(executions).flatMap(([step, { container, phase }]) =>
    container?.rule === 'critical-section' && phase === 'open' ? [{ step, name: container.lock }] : [],
  )

function blockerOf(step: StepKey, key: string, seen: SeenLock | undefined, about = ''): Blocker {
  const holder = seen?.holders[0]?.holder
  const by = holder === undefined ? '' : `, held by ${described(holder)}`
  const others = seen === undefined || seen.waitingCount < 2 ? '' : `; ${seen.waitingCount} wait for it`
  return { kind: 'lock', step, key, text: `"${step}" waits for lock "${key}"${about}${by}${others}` }
}

type SeenLock = NonNullable<Awaited<ReturnType<Coordinator['monitor']['read']>>>
type Holder = NonNullable<SeenLock['holders'][number]['holder']>

/** The instance that has it, where its holder says so. */
function ownerOf({ meta }: Holder): string | undefined {
  const about = typeof meta === 'object' && meta !== null && 'instanceId' in meta ? meta.instanceId : undefined
  return typeof about === 'string' ? about : undefined
}

function described(holder: Holder): string {
  const instanceId = ownerOf(holder)
  return instanceId === undefined ? `node ${holder.node}` : `instance ${instanceId} on node ${holder.node}`
}
