import type { HolderInfo } from '../lease/lease.ts'
import { findDeadlocks, waitsOf } from './find-deadlocks.ts'
import type { LockRegistryProvider, LockState } from './lock-registry-provider.ts'
import type { Actor, LockSnapshot, Stake, WaitFact } from './lock-snapshot.ts'
import { readHolder } from './read-holder.ts'
import { scanLocks } from './scan-locks.ts'
import type { Deadlock, WaitForGraph } from './wait-for-graph.ts'

/**
 * Locks are read page by page, so one look may put together what never stood together. What it finds is therefore looked
 * at once more: leases and places that are there both times (by token, which is never reused) stood side by side in between.
 */
export async function readGraph(registry: LockRegistryProvider, prefix: string): Promise<WaitForGraph> {
  const { locks, truncated } = await scanLocks(registry, prefix)
  const first = locks.map(snapshotOf)
  const waits = waitsOf(first)
  const suspected = findDeadlocks(waits)
  return {
    waits: waits.map((wait) => ({ waiter: wait.actor.id, lock: wait.lock.name, behind: behindOf(wait) })),
    deadlocks: suspected.length === 0 ? [] : (await confirm(registry, first)).map(toDeadlock),
    truncated: truncated || locks.some((lock) => lock.waitingCount > lock.waiters.length),
  }
}

async function confirm(
  registry: LockRegistryProvider,
  first: readonly LockSnapshot[],
): Promise<ReturnType<typeof findDeadlocks>> {
  const waitedFor = first.filter((lock) => lock.waiters.length > 0) // the others are in no circle
  const again: LockSnapshot[] = []
  for (let from = 0; from < waitedFor.length; from += READS_AT_ONCE) {
    const some = waitedFor.slice(from, from + READS_AT_ONCE)
    const states = await Promise.all(some.map((lock) => registry.read(lock.name)))
    states.forEach((state, i) => state && again.push(whatLasts(some[i]!, snapshotOf(state))))
  }
  return findDeadlocks(waitsOf(again))
}

const READS_AT_ONCE = 50

/** A place that became a lease meanwhile is neither: the wait is over. */
function whatLasts(before: LockSnapshot, now: LockSnapshot): LockSnapshot {
  const both = (then: readonly Stake[], later: readonly Stake[]): Stake[] => {
    const known = new Set(then.map((stake) => stake.token))
    return later.filter((stake) => known.has(stake.token))
  }
  return { ...now, holders: both(before.holders, now.holders), waiters: both(before.waiters, now.waiters) }
}

function snapshotOf(state: LockState): LockSnapshot {
  const stake = (each: { readonly token: string; readonly holder: string; readonly share: Stake['share'] }): Stake => ({
    actor: actorOf(each.token, readHolder(each.holder)),
    token: each.token,
    share: each.share,
  })
  const { name, kind, max } = state
  const permits = max === undefined ? {} : { max }
  return { name, kind, ...permits, holders: state.holders.map(stake), waiters: state.waiters.map(stake) }
}

function actorOf(token: string, holder: HolderInfo | undefined): Actor {
  if (holder === undefined) return { id: `unknown ${token}`, named: false }
  const owner = typeof holder.meta === 'object' ? (holder.meta as { owner?: unknown } | null)?.owner : undefined
  if (typeof owner === 'string' && owner !== '') return { id: owner, named: true }
  return { id: `process ${holder.node} ${holder.nodeId}`, named: false }
}

const behindOf = (wait: WaitFact): string[] => [
  ...new Set([...wait.holders, ...wait.ahead].map((stake) => stake.actor.id)),
]

function toDeadlock({ actors, circle }: { actors: Actor[]; circle: WaitFact[] }): Deadlock {
  const certain = actors.every((actor) => actor.named)
  const told = circle.map((wait) => `${wait.actor.id} waits for "${wait.lock.name}"`).join(', ')
  return {
    circle: circle.map((wait) => ({ actor: wait.actor.id, waitsFor: wait.lock.name })),
    actors: actors.map((actor) => actor.id),
    certain,
    finding: certain
      ? `${told}: none of them can go on. Break one of these locks, and take them in one order, or with all([…])`
      : `${told}: a deadlock if one and the same task holds the one and waits for the other. Pass meta: { owner } to be sure`,
  }
}
