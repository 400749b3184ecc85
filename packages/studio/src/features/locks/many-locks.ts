import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import type { Lock, Page } from '../../api/wire.ts'

const PAGE = 200
const MOST_PAGES = 5

export interface ManyLocks {
  readonly locks: readonly Lock[]
  /** There are more than were read. */
  readonly isCut: boolean
}

/** The first thousand, for what the server does not count or filter by. */
export const manyLocksQuery = (prefix: string | undefined) =>
  queryOptions({
    queryKey: ['locks', 'many', prefix],
    queryFn: async ({ signal }): Promise<ManyLocks> => {
      const locks: Lock[] = []
      let cursor: string | undefined
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const found = await call<Page<Lock>>('GET', '/locks', { query: { prefix, cursor, limit: PAGE }, signal })
        locks.push(...found.items)
        if (found.page.next === null) return { locks, isCut: false }
        cursor = found.page.next
      }
      return { locks, isCut: true }
    },
    retry: false,
  })
