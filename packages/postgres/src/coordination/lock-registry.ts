import {
  type LockEvent,
  type LockHolder,
  LockKindMismatch,
  type LockRegistryProvider,
  type LockState,
  type LockWaiter,
  type Share,
} from '@lockstep/coordination'
import type { Lane } from '../db/db.ts'
import { above } from './name-range.ts'
import { orRefuse } from './refuse.ts'
import * as sql from './registry.sql.ts'

/** Names looked at for one page: a page can be short, or empty, and still not be the last. */
const MOST_SCANNED = 5_000

export function postgresLockRegistry(lane: Lane, namespace: string): LockRegistryProvider {
  return {
    async list({ prefix, after = '', limit }) {
      const scan = Math.max(limit + 1, MOST_SCANNED)
      const rows = await orRefuse('list', () =>
        lane.many(sql.list, { namespace, from: prefix, after, below: above(prefix), limit: limit + 1, scan }),
      )
      const found = rows.flatMap((row) => (row.name === null ? [] : [row]))
      const page = found.slice(0, limit)
      // Either there are more in use than fit, or more names than were looked at.
      const next = found.length > limit ? page.at(-1)?.name : rows[0]?.scanned === scan ? rows[0].last : undefined
      return { locks: page.map(toState).filter(isInUse), ...(next == null ? {} : { next }) }
    },
    async read(name) {
      const row = await orRefuse('read', () => lane.maybeOne(sql.read, { namespace, name }))
      const state = row && toState(row)
      if (state !== undefined && isInUse(state)) return state
      const limit = await orRefuse('read', () => lane.maybeOne(sql.readLimit, { namespace, name }))
      return limit && { name, kind: 'semaphore', holders: [], waiters: [], waitingCount: 0, max: limit.max }
    },
    history: async (name, limit) =>
      (await orRefuse('history', () => lane.many(sql.history, { namespace, name, limit }))).map(toEvent),
    break: async (name, why) =>
      (await orRefuse('break', () => lane.many(sql.breakLock, { namespace, name, ...why }))).map(toHolder),
    requestYield: async (name, { reason }) =>
      (await orRefuse('request a yield', () => lane.many(sql.askToYield, { namespace, name, reason }))).map(toHolder),
    async resize(name, max) {
      const { inUseAs } = await orRefuse('resize', () => lane.one(sql.resize, { namespace, name, max }))
      if (inUseAs !== null) throw new LockKindMismatch({ name, asked: 'semaphore', inUseAs })
    },
  }
}

/** A lease that ended is still a row until somebody asks for it or the sweeper comes. */
function isInUse({ holders, waitingCount }: LockState): boolean {
  return holders.length > 0 || waitingCount > 0
}

function toState({ name, kind, max, holders, waiters, waiting }: sql.LockRow): LockState {
  return {
    name,
    kind,
    holders: (holders ?? []).map(toHolder),
    waiters: (waiters ?? []).map(toWaiter),
    waitingCount: waiting,
    ...(max === null ? {} : { max }),
  }
}

function toHolder(row: sql.HolderRow): LockHolder {
  const { token, holder, acquiredAt, expiresAt } = row
  return { token, holder, share: toShare(row), fence: BigInt(row.fence), acquiredAt, expiresAt }
}

function toWaiter(row: sql.WaiterRow): LockWaiter {
  const { token, holder, priority, since } = row
  return { token, holder, share: toShare(row), priority, since }
}

function toShare({ share, weight, max }: Pick<sql.HolderRow, 'share' | 'weight' | 'max'>): Share {
  return share === 'permits' ? { kind: 'permits', weight, max: max ?? weight } : { kind: share }
}

function toEvent({ at, kind, holder, fence, reason, by }: sql.EventRow): LockEvent {
  return {
    at,
    kind,
    holder,
    fence: BigInt(fence),
    ...(reason === null ? {} : { reason }),
    ...(by === null ? {} : { by }),
  }
}
