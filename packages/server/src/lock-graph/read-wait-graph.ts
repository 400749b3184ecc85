import type { LockMonitor, LockView } from '@lockstep/coordination'
import type { HoldingStore, LockWaiter } from '@lockstep/engine/ports'
import { type WaitGraph, waitGraph } from './wait-graph.ts'

const PAGE = 1_000
const MOST_PAGES = 10
const MOST_WAITERS = 2_000
/** More than so many are read again page by page, with those that nobody waits for. */
const MOST_READS = 50

export interface ReadWaits {
  readonly graph: WaitGraph
  /** Locks that somebody waits for. */
  readonly locks: readonly LockView[]
  readonly waiters: readonly LockWaiter[]
  /** There are more locks than were looked at, or may be more waiters. */
  readonly truncated: boolean
}

/**
 * Locks are read page by page, and instances from another store, so one look may put together what never stood together. A circle in it is looked at
 * once more: what was held before and after (by token, which is never used again) by those who waited in between stood side by side.
 */
export async function readWaitGraph(
  monitor: Pick<LockMonitor, 'list' | 'read'>,
  store: Pick<HoldingStore, 'lockWaiters'>,
): Promise<ReadWaits> {
  const [scan, { waiters, more }] = await Promise.all([scanLocks(monitor), store.lockWaiters(MOST_WAITERS)])
  const named = new Set(waiters.map(({ name }) => name))
  const locks = scan.locks.filter(({ name, waitingCount }) => waitingCount > 0 || named.has(name))
  const graph = waitGraph(locks, waiters)
  const deadlocks = graph.deadlocks.length === 0 ? [] : await confirmed(monitor, store, locks)
  return {
    graph: { ...graph, deadlocks },
    ...{ locks, waiters },
    truncated: scan.truncated || more || locks.some((lock) => lock.waitingCount > lock.waiters.length),
  }
}

async function confirmed(
  monitor: Pick<LockMonitor, 'list' | 'read'>,
  store: Pick<HoldingStore, 'lockWaiters'>,
  before: readonly LockView[],
): Promise<WaitGraph['deadlocks']> {
  const { waiters } = await store.lockWaiters(MOST_WAITERS)
  const again = before.length > MOST_READS ? (await scanLocks(monitor)).locks : await readEach(monitor, before)
  const after = new Map(again.map((lock) => [lock.name, lock]))
  const lasting = before.flatMap((lock) => {
    const now = after.get(lock.name)
    return now === undefined ? [] : [whatLasts(lock, now)]
  })
  return waitGraph(lasting, waiters).deadlocks
}

async function readEach(monitor: Pick<LockMonitor, 'read'>, locks: readonly LockView[]): Promise<readonly LockView[]> {
  const found = await Promise.all(locks.map(({ name }) => monitor.read(name)))
  return found.filter((lock) => lock !== undefined)
}

function whatLasts(before: LockView, after: LockView): LockView {
  const both = <T extends { readonly token: string }>(then: readonly T[], later: readonly T[]): readonly T[] => {
    const known = new Set(then.map(({ token }) => token))
    return later.filter(({ token }) => known.has(token))
  }
  return { ...after, holders: both(before.holders, after.holders), waiters: both(before.waiters, after.waiters) }
}

async function scanLocks(
  monitor: Pick<LockMonitor, 'list'>,
): Promise<{ readonly locks: readonly LockView[]; readonly truncated: boolean }> {
  const locks: LockView[] = []
  let after: string | undefined
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const found = await monitor.list({ limit: PAGE, ...(after === undefined ? {} : { after }) })
    locks.push(...found.locks)
    after = found.next
    if (after === undefined) break
  }
  return { locks, truncated: after !== undefined }
}
