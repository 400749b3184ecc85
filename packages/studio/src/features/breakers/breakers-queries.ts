import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import type { Page } from '../../api/wire.ts'
import { hostMonotonic } from '../../browser/time.ts'

export interface Breaker {
  readonly key: string
  readonly state: 'closed' | 'open' | 'half-open'
  readonly reason: string | null
  readonly openedAt: string | null
  readonly openForMs: number
  readonly probeNodeId: string | null
  readonly generation: number
  readonly changedAt: string | null
  /** Counted up to a hundred. Servers of before do not say it. */
  readonly waiting?: number
  /** The first of them. */
  readonly waitingSteps?: readonly { readonly instanceId: string; readonly step: string }[]
  /** Newest first. */
  readonly history?: readonly {
    readonly state: Breaker['state']
    readonly at: string | null
    readonly reason: string | null
    readonly nodeId: string | null
    readonly nodeName: string | null
    readonly by: string | null
  }[]
}

export const breakersQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ['breakers', cursor],
    queryFn: async ({ signal }) => {
      const page = await call<Page<Breaker>>('GET', '/circuit-breakers', { query: { cursor, limit: 50 }, signal })
      return { ...page, readAt: hostMonotonic() }
    },
  })
