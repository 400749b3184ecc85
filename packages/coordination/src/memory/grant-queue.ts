/**
 * Who gets a lock next. Every function here decides at one moment (`at`, the store's clock) and leaves the lock as it must
 * stand afterwards: whoever expired or stopped asking is gone, and nothing is free that a live waiter could have.
 *
 * Mutex: the first who waits. Semaphore: from the front as long as they fit; a heavy one is not overtaken by light ones.
 * Read/write: phase-fair (see `Share`).
 */
import type { Share } from '../lease/lease-provider.ts'
import { recordEvent } from './history.ts'
import { type LockRecord, type MemorySpace, send, type WaiterRecord } from './memory-store.ts'

/** Takes `count` fences and answers the first. They rise over all names, and with the clock, so that a new store begins above an old one. */
export function takeFence(space: MemorySpace, at: number, count: number): number {
  const fence = Math.max(space.lastFence + 1, Math.floor(at * 1_000))
  space.lastFence = fence + count - 1
  return fence
}

/** Drops expired leases and dead places, and hands on what that set free. */
export function settle(space: MemorySpace, lock: LockRecord, at: number): void {
  let writerLeft = false
  for (const held of lock.holders.values()) {
    if (held.expiresAt > at) continue
    lock.holders.delete(held.token)
    writerLeft ||= held.share.kind === 'write'
    recordEvent(space, lock.name, { at, kind: 'expired', holder: held.holder, fence: BigInt(held.fence) })
  }
  if (lock.waiters.length === 0) return
  if (lock.waiters.some((each) => each.aliveUntil <= at)) {
    lock.waiters = lock.waiters.filter((each) => each.aliveUntil > at)
  }
  handOn(space, lock, at, writerLeft)
}

/** Grants to those who wait what can be granted now, and tells them. `writerLeft`: the readers among them have their turn. */
export function handOn(space: MemorySpace, lock: LockRecord, at: number, writerLeft: boolean): void {
  if (writerLeft && !isWritten(lock)) {
    for (const reader of lock.waiters.filter((each) => each.share.kind === 'read')) grantPlace(space, lock, reader, at)
  }
  for (let first = lock.waiters[0]; first !== undefined; first = lock.waiters[0]) {
    // Permits were taken away meanwhile: it learns that when it asks again, and must not block those behind it.
    if (tooHeavy(space, lock, first.share) !== undefined) lock.waiters.shift()
    else if (fits(space, lock, first.share)) grantPlace(space, lock, first, at)
    else return
  }
}

function grantPlace(space: MemorySpace, lock: LockRecord, waiter: WaiterRecord, at: number): void {
  lock.waiters.splice(lock.waiters.indexOf(waiter), 1)
  const fence = grant(space, lock, waiter, at, waiter.grantTtlMs)
  send(space, waiter.noticeAddress, { kind: 'granted', name: lock.name, token: waiter.token, fence, at })
}

export interface Grantee {
  readonly token: string
  readonly holder: string
  readonly address?: string
  readonly share: Share
  readonly fenceCount: number
}

/** Makes a holder of it; whether it may be one was decided before. */
export function grant(space: MemorySpace, lock: LockRecord, to: Grantee, at: number, ttlMs: number): bigint {
  const fence = takeFence(space, at, to.fenceCount)
  lock.holders.set(to.token, {
    token: to.token,
    holder: to.holder,
    address: to.address,
    acquiredAt: at,
    share: to.share,
    fence,
    expiresAt: at + ttlMs,
  })
  recordEvent(space, lock.name, { at, kind: 'granted', holder: to.holder, fence: BigInt(fence) })
  return BigInt(fence)
}

/** Whether there is room beside those who hold it; says nothing about those who wait. */
export function fits(space: MemorySpace, lock: LockRecord, share: Share): boolean {
  switch (share.kind) {
    case 'mutex':
    case 'write':
      return lock.holders.size === 0
    case 'read':
      return !isWritten(lock)
    case 'permits':
      return taken(lock) + share.weight <= permits(space, lock, share.max)
  }
}

/** The number of permits there are, when `share` wants more than that. */
export function tooHeavy(space: MemorySpace, lock: LockRecord, share: Share): number | undefined {
  if (share.kind !== 'permits') return undefined
  const max = permits(space, lock, share.max)
  return share.weight > max ? max : undefined
}

export function permits(space: MemorySpace, lock: { readonly name: string }, asked: number): number {
  return space.resized.get(lock.name) ?? asked
}

/** Waits in the order of priority, then arrival. */
export function enqueue(lock: LockRecord, waiter: WaiterRecord): void {
  let position = lock.waiters.length
  while (position > 0 && lock.waiters[position - 1]!.priority < waiter.priority) position -= 1
  lock.waiters.splice(position, 0, waiter)
}

function taken(lock: LockRecord): number {
  let sum = 0
  for (const { share } of lock.holders.values()) sum += share.kind === 'permits' ? share.weight : 0
  return sum
}

function isWritten(lock: LockRecord): boolean {
  for (const { share } of lock.holders.values()) return share.kind === 'write'
  return false
}
