import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'

export interface Leader {
  readonly election: string
  readonly name: string
  readonly term: string
  readonly since: string | null
  readonly standby: number
}

export interface ClusterEvent {
  readonly position: string
  readonly at: string | null
  readonly kind: string
  readonly nodeId: string
  readonly name: string
  readonly detail: Readonly<Record<string, unknown>> | null
}

export interface Cache {
  readonly name: string
  readonly size: number
  readonly limit: number
  readonly hits: number
  readonly misses: number
  readonly hitRate: number | null
  readonly invalidations: number
  readonly evictions: number
  readonly secondTierHits: number
}

export const cachesQuery = () =>
  queryOptions({
    queryKey: ['caches'],
    queryFn: ({ signal }) => call<{ readonly items: readonly Cache[] }>('GET', '/caches', { signal }),
  })

export const leadersQuery = () =>
  queryOptions({
    queryKey: ['nodes', 'leaders'],
    queryFn: ({ signal }) => call<{ readonly items: readonly Leader[] }>('GET', '/cluster/leaders', { signal }),
  })

const PAGE = 200
const MOST_PAGES = 10

interface EventPage {
  readonly items: readonly ClusterEvent[]
  readonly after: string
}

interface Events extends EventPage {
  /** Of all nodes that events told of, by their ids. */
  readonly names: ReadonlyMap<string, string>
}

/** The latest events, newest first. The server tells them oldest first, so it is asked on from where it ended before. */
export const eventsQuery = () =>
  queryOptions({
    queryKey: ['nodes', 'events'],
    queryFn: async ({ signal, client }) => {
      const before = client.getQueryData<Events>(['nodes', 'events'])
      let items = before?.items ?? []
      let after = before?.after ?? '0'
      const names = new Map(before?.names)
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const next = await call<EventPage>('GET', '/cluster/events', { query: { after, limit: PAGE }, signal })
        items = [...[...next.items].reverse(), ...items].slice(0, PAGE)
        after = next.after
        for (const { nodeId, name } of next.items) names.set(nodeId, name)
        if (next.items.length < PAGE) break
      }
      return { items, after, names }
    },
  })
