import type { ItemOf } from '@lockstep/api'
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import type { Page } from '../../api/wire.ts'

export const roles = ['viewer', 'operator', 'designer', 'admin'] as const

export interface ApiKey {
  readonly id: string
  readonly name: string
  readonly tenant: string
  readonly role: string
  readonly permissions: readonly string[] | null
  readonly createdBy: string
  readonly createdAt: string | null
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
  readonly revokedAt: string | null
  readonly live: boolean
}

export interface User {
  readonly name: string
  readonly tenant: string
  readonly role: string
  readonly disabled: boolean
  readonly createdAt: string | null
  readonly lastSignInAt: string | null
}

export interface RetentionRule {
  readonly kind: 'keep' | 'hold'
  readonly definitionId: string | null
  readonly instanceId: string | null
  readonly status: string | null
  readonly keepMs: number | null
  readonly reason: string | null
  readonly createdAt: string | null
}

export const keysQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ['api-keys', cursor],
    queryFn: ({ signal }) => call<Page<ApiKey>>('GET', '/api-keys', { query: { cursor, limit: 50 }, signal }),
  })

export const usersQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ['users', cursor],
    queryFn: ({ signal }) => call<Page<User>>('GET', '/users', { query: { cursor, limit: 50 }, signal }),
  })

export const rulesQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ['retention', cursor],
    queryFn: ({ signal }) =>
      call<Page<RetentionRule>>('GET', '/retention/rules', { query: { cursor, limit: 50 }, signal }),
  })

/** Its value is nowhere: nothing answers it. */
export type Secret = ItemOf<'listSecrets'>

export const secretsQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ['secrets', cursor],
    queryFn: ({ signal }) => call<Page<Secret>>('GET', '/secrets', { query: { cursor, limit: 50 }, signal }),
  })
