import type { Clock } from '@lockstep/base'
import { ProviderUnavailable } from '../errors.ts'
import type { LeaseListener, Listening } from '../lease/lease-provider.ts'
import { settle } from './grant-queue.ts'
import type { MemorySpace } from './memory-store.ts'

const FEWEST_BETWEEN_SWEEPS = 256

/** One provider's way into a store: its moments, its listeners, and its end. */
export interface MemoryTime {
  readonly space: MemorySpace
  /** To be called by every operation: the moment at which it decides. Throws `PROVIDER_UNAVAILABLE` after `close`. */
  enter(): number
  listen(address: string, listener: LeaseListener): Listening
  close(): void
}

/** The store's clock is the monotonic one, moved to 1970 once: it never goes back, and people can read it. */
export function memoryTime(space: MemorySpace, clock: Clock): MemoryTime {
  const own = new Set<Listening>()
  let closed = false

  return {
    space,
    enter() {
      if (closed) throw new ProviderUnavailable({ provider: 'memory', doing: 'it is closed' })
      space.epoch ??= clock.now() - clock.monotonic()
      const at = space.epoch + clock.monotonic()
      sweepNowAndThen(space, at)
      return at
    },
    listen(address, listener) {
      const listeners = space.listeners.get(address) ?? new Set()
      space.listeners.set(address, listeners.add(listener))
      const listening: Listening = {
        close: async () => {
          own.delete(listening)
          listeners.delete(listener)
          if (listeners.size === 0 && space.listeners.get(address) === listeners) space.listeners.delete(address)
        },
      }
      own.add(listening)
      return listening
    },
    close() {
      closed = true
      for (const listening of own) void listening.close()
    },
  }
}

/** A lease that expired and that nobody asks for any more must not stay for ever: everything is looked at once per so many calls as there are locks. */
function sweepNowAndThen(space: MemorySpace, at: number): void {
  space.touched += 1
  if (space.touched < FEWEST_BETWEEN_SWEEPS + space.locks.size) return
  space.touched = 0
  for (const lock of space.locks.values()) {
    settle(space, lock, at)
    if (lock.holders.size === 0 && lock.waiters.length === 0) space.locks.delete(lock.name)
  }
  for (const [id, { expiresAt }] of space.members) if (expiresAt <= at) space.members.delete(id)
}
