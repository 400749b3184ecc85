import type { Coordinator } from '@lockstep/coordination'

/** Where maintenance gets its locks. `executeWithLock` is `runIfFree` of a mutex. */
export type MaintenanceLocks = Pick<Coordinator, 'mutex'>

/** What `runAlone` came to. `holder`: the node that is at it. */
export type Alone<T> = { readonly ran: true; readonly value: T } | { readonly ran: false; readonly holder: string }

/** The name under which a duty stands in the list of locks. */
export const maintenanceLock = (duty: string): string => `maintenance:${duty}`

/**
 * Runs a duty in one process of the cluster, or not at all when another is at it. The signal aborts when the lock is lost, or with `stop`.
 * Without a toolkit there is one process, or the store alone decides.
 */
export async function runAlone<T>(
  locks: MaintenanceLocks | undefined,
  duty: string,
  stop: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<Alone<T>> {
  if (locks === undefined) return { ran: true, value: await work(stop) }
  const lock = locks.mutex(maintenanceLock(duty))
  const run = await lock.runIfFree((lease) => work(AbortSignal.any([lease.signal, stop])))
  return run.ran ? run : { ran: false, holder: run.holder?.node ?? 'another process' }
}
