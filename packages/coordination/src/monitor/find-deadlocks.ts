/**
 * Finds those who wait for each other in a circle, by reduction: whoever waits for nothing can finish and give back what it
 * holds; then others can, and so on. Whoever is left can never go on, and among them is a circle. Unlike a plain search for
 * circles this is right for semaphores too, where any of several holders may be the one who makes room.
 *
 * Pure: the locks as they stood, in; the circles, out.
 */
import type { Share } from '../lease/lease-provider.ts'
import { circlesOf } from './graph-circles.ts'
import type { Actor, LockSnapshot, Stake, WaitFact } from './lock-snapshot.ts'

/** What each of those who wait waits for. */
export function waitsOf(locks: readonly LockSnapshot[]): readonly WaitFact[] {
  return locks.flatMap((lock) =>
    lock.waiters.map((waiter, place) => ({
      actor: waiter.actor,
      lock,
      share: waiter.share,
      holders: lock.holders.filter((each) => inTheWay(each.share, waiter.share)),
      ahead: lock.waiters.filter((each, index) => goesBefore(lock, each.share, index, waiter.share, place)),
    })),
  )
}

/** Groups of actors that keep each other from going on, each with a shortest circle of waits in it. */
export function findDeadlocks(waits: readonly WaitFact[]): readonly { actors: Actor[]; circle: WaitFact[] }[] {
  /** Waits of each of those who cannot go on, as far as is known, that cannot end. */
  const left = new Map<string, number>()
  const waitsFor = new Map<string, WaitFact[]>()
  for (const wait of waits) {
    left.set(wait.actor.id, (left.get(wait.actor.id) ?? 0) + 1)
    for (const { actor } of blockersOf(wait)) {
      const behind = waitsFor.get(actor.id)
      if (behind === undefined) waitsFor.set(actor.id, [wait])
      else behind.push(wait)
    }
  }
  const isStuck = (stake: Stake, waiter: Actor): boolean =>
    left.has(stake.actor.id) && (waiter.named || stake.actor.id !== waiter.id)

  const blocked = new Set(waits)
  // A wait is looked at again when somebody before it goes on, not whenever anybody does: chains may be long, and whoever looks holds up its process.
  const toLookAt = [...waits]
  for (const wait of toLookAt) {
    if (!blocked.has(wait) || !canEnd(wait, isStuck)) continue
    blocked.delete(wait)
    const { id } = wait.actor
    left.set(id, left.get(id)! - 1)
    if (left.get(id)! > 0) continue
    left.delete(id)
    for (const behind of waitsFor.get(id) ?? []) toLookAt.push(behind)
  }

  return circlesOf([...blocked], (wait) =>
    blockersOf(wait)
      .filter((stake) => isStuck(stake, wait.actor))
      .map((stake) => stake.actor.id),
  )
}

const blockersOf = ({ holders, ahead }: WaitFact): readonly Stake[] => [...holders, ...ahead]

function canEnd(wait: WaitFact, isStuck: (stake: Stake, waiter: Actor) => boolean): boolean {
  if (wait.ahead.some((stake) => isStuck(stake, wait.actor))) return false
  const stuckHolders = wait.holders.filter((stake) => isStuck(stake, wait.actor))
  if (wait.share.kind !== 'permits') return stuckHolders.length === 0
  const kept = stuckHolders.reduce((sum, stake) => sum + weightOf(stake.share), 0)
  return kept + wait.share.weight <= (wait.lock.max ?? wait.share.max)
}

const weightOf = (share: Share): number => (share.kind === 'permits' ? share.weight : 1)

const inTheWay = (held: Share, wanted: Share): boolean => !(held.kind === 'read' && wanted.kind === 'read')

/** Nobody overtakes, except that readers who wait go in together when a writer leaves (phase-fair). */
function goesBefore(lock: LockSnapshot, other: Share, place: number, mine: Share, myPlace: number): boolean {
  if (place === myPlace) return false
  const writerHolds = lock.holders.some((each) => each.share.kind === 'write')
  if (mine.kind === 'read') return other.kind === 'write' && place < myPlace && !writerHolds
  if (mine.kind === 'write' && other.kind === 'read' && writerHolds) return true
  return place < myPlace
}
