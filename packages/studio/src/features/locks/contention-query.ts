import type { ReplyBody } from '@lockstep/api'
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'

export type LockContention = ReplyBody<'getLockContention'>

export const contentionQuery = () =>
  queryOptions({
    queryKey: ['locks', 'contention'],
    queryFn: ({ signal }) => call<LockContention>('GET', '/lock-contention', { signal }),
  })
