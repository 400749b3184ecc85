import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import type { Page } from '../../api/wire.ts'

const MOST = 200

/** Names of the secrets that the server keeps, the first ones. Nodes may know others. */
export const secretNamesQuery = () =>
  queryOptions({
    queryKey: ['secrets', 'names'],
    queryFn: async ({ signal }) => {
      const { items } = await call<Page<{ readonly name: string }>>('GET', '/secrets', {
        query: { limit: MOST },
        signal,
      })
      return items.map(({ name }) => name)
    },
    staleTime: 15_000,
  })
