import type { Coordinator } from '@lockstep/coordination'
import type { WorkflowLocks } from '../../function/function-execution.ts'
import { factFromRow, type StepKey } from '../../journal/fact.ts'
import type { RecordedFact } from '../../store/agenda-store.ts'
import type { InstanceReader } from '../../store/instance-reader.ts'
import type { MaintenanceStore } from '../../store/maintenance-store.ts'
import { openWaits } from '../../why/open-waits.ts'
import type { Blocker, BlockerSource } from '../../why/why.ts'
import { lockName } from './critical-section-lock-name.ts'

/** Facts that are looked at: the wait for a lock is among the latest, or others would have followed it. */
const TAIL = 200

/** Says which lock a critical section waits for, for the first time or again after a move, and who has it where the store of locks tells. */
export function lockBlockers(
  store: { readonly instances: InstanceReader; readonly maintenance: MaintenanceStore },
  locks: (WorkflowLocks & Partial<Pick<Coordinator, 'monitor'>>) | undefined,
): BlockerSource {
  return async ({ tenant, instanceId, state }) => {
    if (locks === undefined || (state !== 'waiting' && state !== 'held')) return []
    const { lastSeq = 0 } = (await store.maintenance.standing(tenant, instanceId)) ?? {}
    const facts = await store.instances.journal(tenant, instanceId, Math.max(0, lastSeq - TAIL), TAIL)
    const first = [...openWaits(facts).values()].flatMap(({ fact }) =>
      fact.kind === 'waiting' && fact.wait.kind === 'lock' ? [{ step: fact.step, name: fact.wait.name }] : [],
    )
    const look = async (name: string) => locks.monitor?.read(lockName(tenant, name)).catch(() => undefined)
    const waits = first.map(async ({ step, name }) => blockerOf(step, name, await look(name)))
    const lost = openSections(facts).map(async ({ step, name }) => {
      const seen = await look(name)
      const holder = seen?.holders[0]?.holder
      if (holder === undefined || ownerOf(holder) === instanceId) return []
      return [blockerOf(step, name, seen, ', which it had before it moved')]
    })
    return (await Promise.all([...waits, ...lost])).flat()
  }
}

/** Sections that are open: their lock is held wherever the instance is, and taken again after a move. */
function openSections(facts: readonly RecordedFact[]): readonly { readonly step: StepKey; readonly name: string }[] {
  const open = new Map<StepKey, string>()
  for (const row of facts) {
    const fact = factFromRow(row)
    if (fact.kind === 'opened' && fact.lock !== undefined) open.set(fact.step, fact.lock)
    else if (fact.kind === 'completed' || fact.kind === 'failed') open.delete(fact.step)
    else if (fact.kind === 'ended') open.clear()
  }
  return [...open].map(([step, name]) => ({ step, name }))
}

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
