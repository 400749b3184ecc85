import type { Coordinator } from '@lockstep/coordination'
import type { WorkflowLocks } from '../../function/function-execution.ts'
import type { InstanceReader } from '../../store/instance-reader.ts'
import type { MaintenanceStore } from '../../store/maintenance-store.ts'
import { openWaits } from '../../why/open-waits.ts'
import type { Blocker, BlockerSource } from '../../why/why.ts'
import { lockName } from './critical-section-lock-name.ts'

/** Facts that are looked at: the wait for a lock is among the latest, or others would have followed it. */
const TAIL = 200

/** Says which lock a critical section waits for, and who has it where the store of locks tells. */
export function lockBlockers(
  store: { readonly instances: InstanceReader; readonly maintenance: MaintenanceStore },
  locks: (WorkflowLocks & Partial<Pick<Coordinator, 'monitor'>>) | undefined,
): BlockerSource {
  return async ({ tenant, instanceId, state }) => {
    if (locks === undefined || (state !== 'waiting' && state !== 'held')) return []
    const { lastSeq = 0 } = (await store.maintenance.standing(tenant, instanceId)) ?? {}
    const facts = await store.instances.journal(tenant, instanceId, Math.max(0, lastSeq - TAIL), TAIL)
    const waits = [...openWaits(facts).values()].flatMap(({ fact }) =>
      fact.kind === 'waiting' && fact.wait.kind === 'lock' ? [{ step: fact.step, name: fact.wait.name }] : [],
    )
    return Promise.all(waits.map(({ step, name }) => blockerOf(locks, tenant, step, name)))
  }
}

async function blockerOf(
  { monitor }: Partial<Pick<Coordinator, 'monitor'>>,
  tenant: string,
  step: string,
  name: string,
): Promise<Blocker> {
  const seen = await monitor?.read(lockName(tenant, name)).catch(() => undefined)
  const holder = seen?.holders[0]?.holder
  const by = holder === undefined ? '' : `, held by ${described(holder)}`
  const others = seen === undefined || seen.waitingCount < 2 ? '' : `; ${seen.waitingCount} wait for it`
  return { kind: 'lock', text: `"${step}" waits for lock "${name}"${by}${others}` }
}

function described({ node, meta }: { readonly node: string; readonly meta?: unknown }): string {
  const about = typeof meta === 'object' && meta !== null && 'instanceId' in meta ? meta.instanceId : undefined
  return typeof about === 'string' ? `instance ${about} on node ${node}` : `node ${node}`
}
