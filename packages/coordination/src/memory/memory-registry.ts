import type { Intervention, LockHolder, LockRegistryProvider, LockState } from '../monitor/lock-registry-provider.ts'
import { handOn, permits, settle, takeFence } from './grant-queue.ts'
import { recordEvent } from './history.ts'
import { type HolderRecord, type LockRecord, send } from './memory-store.ts'
import type { MemoryTime } from './memory-time.ts'

const WAITERS_SHOWN = 100

export function memoryRegistry(time: MemoryTime): LockRegistryProvider {
  const { space } = time

  const live = (name: string, at: number): LockRecord | undefined => {
    const lock = space.locks.get(name)
    if (lock === undefined) return undefined
    settle(space, lock, at)
    return lock.holders.size > 0 || lock.waiters.length > 0 ? lock : undefined
  }

  const state = (lock: LockRecord): LockState => ({
    name: lock.name,
    kind: lock.kind,
    holders: [...lock.holders.values()].map(toHolder),
    waiters: lock.waiters
      .slice(0, WAITERS_SHOWN)
      .map(({ token, holder, share, priority, since }) => ({ token, holder, share, priority, since })),
    waitingCount: lock.waiters.length,
    ...(lock.kind === 'semaphore' && lock.max !== undefined && { max: permits(space, lock, lock.max) }),
  })

  return {
    async list({ prefix, after, limit }) {
      const at = time.enter()
      const names = [...space.locks.keys()]
        .filter((name) => name.startsWith(prefix) && (after === undefined || name > after))
        .sort()
      const locks: LockState[] = []
      for (const name of names) {
        const lock = live(name, at)
        if (lock === undefined) continue
        if (locks.length === limit) return { locks, ...(limit > 0 && { next: locks[limit - 1]!.name }) }
        locks.push(state(lock))
      }
      return { locks }
    },

    async read(name) {
      const lock = live(name, time.enter())
      if (lock !== undefined) return state(lock)
      const max = space.resized.get(name)
      return max === undefined ? undefined : { name, kind: 'semaphore', holders: [], waiters: [], waitingCount: 0, max }
    },

    async history(name, limit) {
      live(name, time.enter())
      return (space.history.get(name) ?? []).slice(0, limit)
    },

    async break(name, why) {
      const at = time.enter()
      const lock = live(name, at)
      if (lock === undefined) return []
      const broken = [...lock.holders.values()]
      takeFence(space, at, 1)
      for (const held of broken) {
        lock.holders.delete(held.token)
        recordEvent(space, name, {
          at,
          kind: 'broken',
          holder: held.holder,
          fence: BigInt(held.fence),
          reason: why.reason,
          by: why.by,
        })
        send(space, held.address, { kind: 'revoked', name, token: held.token, reason: why.reason })
      }
      handOn(
        space,
        lock,
        at,
        broken.some(({ share }) => share.kind === 'write'),
      )
      if (lock.holders.size === 0 && lock.waiters.length === 0) space.locks.delete(name)
      return broken.map(toHolder)
    },

    async requestYield(name: string, why: Intervention) {
      const lock = live(name, time.enter())
      if (lock === undefined) return []
      const told = [...lock.holders.values()]
      for (const { address, token } of told) send(space, address, { kind: 'yield', name, token, reason: why.reason })
      return told.map(toHolder)
    },

    async resize(name, max) {
      const at = time.enter()
      space.resized.set(name, max)
      const lock = live(name, at)
      if (lock !== undefined) handOn(space, lock, at, false)
    },
  }
}

function toHolder({ token, holder, share, fence, acquiredAt, expiresAt }: HolderRecord): LockHolder {
  return { token, holder, share, fence: BigInt(fence), acquiredAt, expiresAt }
}
