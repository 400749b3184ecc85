import type { CoordinationProvider } from '../coordination-provider.ts'
import type { StaleLease } from './lock-monitor.ts'
import { holderView } from './lock-view.ts'
import { scanLocks } from './scan-locks.ts'

/** `meta` of leases that nobody is meant to renew: their holder may be gone. */
export const ENDS_BY_ITSELF = { endsByItself: true } as const

/** Members are read after the locks: a process that joined in between must not look dead. */
export async function findStale(
  provider: Pick<CoordinationProvider, 'registry' | 'members'>,
  prefix: string,
): Promise<readonly StaleLease[]> {
  const { locks } = await scanLocks(provider.registry, prefix)
  if (locks.every((lock) => lock.holders.length === 0)) return []
  const alive = new Set((await provider.members.members()).map((member) => member.id))
  return locks
    .flatMap((lock) => lock.holders.map((each) => holderView(lock.name, each)))
    .filter(({ holder }) => holder !== undefined && !alive.has(holder.nodeId) && !endsByItself(holder.meta))
    .map((lease) => ({
      ...lease,
      finding: `${lease.holder?.node} (process ${lease.holder?.pid} on ${lease.holder?.host}) does not beat any more; its lease ends by itself unless it was handed on, or break it`,
    }))
}

const endsByItself = (meta: unknown): boolean =>
  typeof meta === 'object' && meta !== null && 'endsByItself' in meta && meta.endsByItself === true
