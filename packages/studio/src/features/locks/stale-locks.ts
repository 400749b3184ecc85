import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import { Problem } from '../../api/problem.ts'
import type { Lock, LockDetail, Page } from '../../api/wire.ts'

const PAGE = 200
const MOST_PAGES = 25

export interface StaleLocks {
  readonly locks: readonly Lock[]
  /** There are more locks than were looked at. */
  readonly cut: boolean
}

/** Locks whose holders are gone. Instances are listed behind all locks and are nothing to release, so they end the search. */
export const staleLocksQuery = (prefix: string | undefined) =>
  queryOptions({
    queryKey: ['locks', 'stale', prefix],
    queryFn: async ({ signal }): Promise<StaleLocks> => {
      const locks: Lock[] = []
      let cursor: string | undefined
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const query = { prefix, cursor, limit: PAGE }
        const { items, page: place } = await call<Page<Lock>>('GET', '/locks', { query, signal })
        locks.push(...items.filter(({ state, kind }) => state === 'stale' && kind !== 'instance'))
        if (place.next === null || items.at(-1)?.kind === 'instance') return { locks, cut: false }
        cursor = place.next
      }
      return { locks, cut: true }
    },
  })

export const heldFor = ({ acquiredAt }: Lock, now: number): number =>
  acquiredAt === null ? 0 : now - Date.parse(acquiredAt)

/** One after the other, each read again just before: a holder that came back, or another one, keeps its lock. */
export async function releaseStale(
  locks: readonly Lock[],
  reason: string,
): Promise<{ readonly released: number; readonly kept: number }> {
  let released = 0
  for (const { key, fence } of locks) {
    const path = `/locks/${encodeURIComponent(key)}`
    try {
      const now = await call<LockDetail>('GET', path)
      if (now.state !== 'stale' || now.fence !== fence) continue
      await call('POST', `${path}/release`, { body: { reason } })
      released += 1
    } catch (error) {
      // It went by itself meanwhile.
      if (!(error instanceof Problem && error.code === 'LOCK_NOT_FOUND')) throw error
    }
  }
  return { released, kept: locks.length - released }
}
