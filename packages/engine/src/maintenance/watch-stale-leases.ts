import type { Logger } from '@lockstep/base'
import type { Coordinator } from '@lockstep/coordination'
import type { Chore } from './chore.ts'

const EVERY_MS = 300_000

export interface StaleLeasesOptions {
  readonly locks: () => Pick<Coordinator, 'monitor'>
  readonly logger: Logger
}

/**
 * Tells of leases whose process is gone, each once. It breaks none: a process that was only cut off from the store may trust its lease until its
 * time is over, and then it ends by itself. Whoever knows better breaks it.
 */
export function watchStaleLeases({ locks, logger }: StaleLeasesOptions): Chore {
  let told = new Set<string>()
  return {
    name: 'stale-leases',
    everyMs: EVERY_MS,
    run: async () => {
      const found = new Map((await locks().monitor.stale()).map((lease) => [`${lease.fence} ${lease.lock}`, lease]))
      for (const [key, { lock, holder, expiresAt }] of found)
        if (!told.has(key))
          logger.warn('a lease is held by a process that is gone', {
            lock,
            node: holder?.node,
            pid: holder?.pid,
            expiresAt,
          })
      told = new Set(found.keys())
      return { more: false, figures: { stale: found.size } }
    },
  }
}
