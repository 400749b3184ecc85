import { statement } from '../db/statement.ts'

/** Raises the guard of a resource, one row by primary key. No row: a later fence was there. Locks the row until the transaction ends. */
export const raiseGuard = statement<{ resource: string; fence: bigint }, { fence: string }>(
  'fence_raise_guard',
  (p) => [p.resource, p.fence],
  `insert into fence_guard as g (resource, fence, seen_at) values ($1, $2, clock_timestamp())
   on conflict (resource) do update set fence = excluded.fence, seen_at = excluded.seen_at where g.fence <= excluded.fence
   returning g.fence`,
)

export const readGuard = statement<{ resource: string }, { fence: string }>(
  'fence_read_guard',
  (p) => [p.resource],
  'select fence from fence_guard where resource = $1',
  { readOnly: true },
)
