import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, type Query } from '../../api/client.ts'
import type { Page as PageOf } from '../../api/wire.ts'

export interface AuditEntry {
  readonly seq: string
  readonly at: string | null
  readonly tenant: string
  readonly actor: { readonly kind: string; readonly id: string }
  readonly operation: string
  readonly target: string
  readonly outcome: string
  readonly status: number
  readonly address: string
  readonly agent: string
  readonly node: string
  readonly reason: string | null
  readonly before: unknown
  readonly after: unknown
  /** How often within a moment. */
  readonly times: number
}

export const auditQuery = (query: Query) =>
  queryOptions({
    queryKey: ['audit', query],
    queryFn: ({ signal }) => call<PageOf<AuditEntry>>('GET', '/audit-log', { query, signal }),
    placeholderData: keepPreviousData,
  })
