import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'

/** Who the server takes this browser for, and what it may do. */
export interface Caller {
  readonly kind: 'anonymous' | 'key' | 'user' | 'token'
  readonly id: string
  readonly name: string
  readonly tenant: string
  readonly role: string | null
  readonly permissions: readonly string[]
  /** What the server asks of callers. */
  readonly auth: 'none' | 'keys' | 'oidc'
}

export const sessionQuery = () =>
  queryOptions({
    queryKey: ['session'],
    queryFn: ({ signal }) => call<Caller>('GET', '/session', { signal }),
    staleTime: 30_000,
  })
