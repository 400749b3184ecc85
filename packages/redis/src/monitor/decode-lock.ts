import type { LockEvent, LockHolder, LockKind, LockState, LockWaiter, Share } from '@lockstep/coordination'
import { timeOf } from '../lease/decode-answer.ts'

/** See `scripts/parts/describe.lua`. */
export type RawHolder = [
  token: string,
  share: string,
  weight: number,
  max: number,
  fence: string,
  since: string,
  ends: number,
  holder: string,
  address: string,
]
type RawWaiter = [
  token: string,
  share: string,
  weight: number,
  max: number,
  priority: string,
  since: string,
  holder: string,
]
/** See `scripts/read-locks.lua`. */
export type RawLock =
  | 0
  | [kind: LockKind, max: number, waitingCount: number, holders: RawHolder[], waiters: RawWaiter[]]
/** See `scripts/read-history.lua`. */
export type RawEvent = [at: string, kind: LockEvent['kind'], holder: string, fence: string, reason: string, by: string]

export function decodeLock(name: string, raw: RawLock): LockState | undefined {
  if (raw === 0) return undefined
  const [kind, max, waitingCount, holders, waiters] = raw
  return {
    name,
    kind,
    holders: holders.map(decodeHolder),
    waiters: waiters.map(decodeWaiter),
    waitingCount,
    ...(max < 0 ? {} : { max }),
  }
}

export function decodeHolder([token, share, weight, max, fence, since, ends, holder]: RawHolder): LockHolder {
  return {
    token,
    holder,
    share: decodeShare(share, weight, max),
    fence: BigInt(fence),
    acquiredAt: timeOf(since),
    expiresAt: ends,
  }
}

function decodeWaiter([token, share, weight, max, priority, since, holder]: RawWaiter): LockWaiter {
  return {
    token,
    holder,
    share: decodeShare(share, weight, max),
    priority: Number(priority),
    since: timeOf(since),
  }
}

export function decodeEvent([at, kind, holder, fence, reason, by]: RawEvent): LockEvent {
  return {
    at: timeOf(at),
    kind,
    holder,
    fence: BigInt(fence),
    ...(reason === '' ? {} : { reason }),
    ...(by === '' ? {} : { by }),
  }
}

function decodeShare(share: string, weight: number, max: number): Share {
  if (share === 'p') return { kind: 'permits', weight, max }
  return { kind: share === 'w' ? 'write' : share === 'r' ? 'read' : 'mutex' }
}
