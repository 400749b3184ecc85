import { statement } from '../db/statement.ts'
import type { LeaseColumns } from './lease-columns.ts'

export interface AcquireRow {
  readonly at: number
  /** int8 as text; null where nothing was granted. */
  readonly fences: readonly (string | null)[]
  /** Null when everything was granted; parts are null where something was. */
  readonly details: readonly (AskDetail | null)[] | null
}

/** What migration 0006 says of a request that was not granted. */
export interface AskDetail {
  readonly status: 'queued' | 'busy' | 'wrong-kind' | 'too-heavy'
  readonly ahead: number | null
  readonly holder: string | null
  readonly leftMs: number | null
  readonly inUseAs: 'mutex' | 'read-write' | 'semaphore'
  readonly max: number
}

/** One locked row per name, in the order of the arrays; a free mutex is one row updated (HOT), or inserted. */
export const acquire = statement<{ namespace: string; columns: LeaseColumns }, AcquireRow>(
  'lease_acquire',
  ({ namespace, columns: c }) => [
    namespace,
    c.names,
    c.tokens,
    c.shares,
    c.weights,
    c.maxes,
    c.ttls,
    c.counts,
    c.holders,
    c.tells,
    c.channels,
    c.priorities,
    c.alives,
    c.grants,
  ],
  'select at, fences, details from lockstep_lease_acquire($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)',
)

/** The same without places, all or none. */
export const acquireTogether = statement<{ namespace: string; columns: LeaseColumns }, AcquireRow>(
  'lease_acquire_together',
  ({ namespace, columns: c }) => [
    namespace,
    c.names,
    c.tokens,
    c.shares,
    c.weights,
    c.maxes,
    c.ttls,
    c.counts,
    c.holders,
    c.tells,
  ],
  'select at, fences, details from lockstep_lease_acquire_together($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
)

export interface KeyColumns {
  readonly namespace: string
  readonly names: readonly string[]
  readonly tokens: readonly string[]
  readonly mutex: readonly boolean[]
}

/** One row per lease, by primary key, HOT. */
export const renew = statement<KeyColumns & { ttls: readonly number[] }, { at: number; renewed: boolean[] }>(
  'lease_renew',
  (p) => [p.namespace, p.names, p.tokens, p.mutex, p.ttls],
  'select at, renewed from lockstep_lease_renew($1, $2, $3, $4, $5)',
)

/** A mutex nobody waits for is one updated row (HOT); anything else is handed on under the lock of its name. */
export const release = statement<KeyColumns, { at: number; released: boolean[] }>(
  'lease_release',
  (p) => [p.namespace, p.names, p.tokens, p.mutex],
  'select at, released from lockstep_lease_release($1, $2, $3, $4)',
)

/** Walks on through the names of a namespace; see migration 0006. */
export const sweep = statement<
  { namespace: string; after: string; limit: number; idleMs: number; events: number },
  { next: string | null }
>(
  'lease_sweep',
  (p) => [p.namespace, p.after, p.limit, p.idleMs, p.events],
  'select lockstep_lease_sweep($1, $2, $3, $4, $5) as next',
)
