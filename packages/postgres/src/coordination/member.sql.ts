import { statement } from '../db/statement.ts'

export interface MemberRow {
  readonly id: string
  readonly name: string
  readonly pid: number
  readonly host: string
}

/** One row, by primary key, HOT. */
export const beat = statement<MemberRow & { namespace: string; ttlMs: number }>(
  'member_beat',
  (p) => [p.namespace, p.id, p.name, p.pid, p.host, p.ttlMs],
  `insert into coordination_member (namespace, id, name, pid, host, expires_at)
   values ($1, $2, $3, $4, $5, clock_timestamp() + $6::float8 * interval '1 millisecond')
   on conflict (namespace, id) do update
      set name = excluded.name, pid = excluded.pid, host = excluded.host, expires_at = excluded.expires_at`,
)

export const leave = statement<{ namespace: string; id: string }>(
  'member_leave',
  (p) => [p.namespace, p.id],
  'delete from coordination_member where namespace = $1 and id = $2',
)

/** As many rows as there are processes. */
export const members = statement<{ namespace: string }, MemberRow>(
  'member_list',
  (p) => [p.namespace],
  `select id, name, pid, host from coordination_member
    where namespace = $1 and expires_at > (select clock_timestamp()) order by id`,
  { readOnly: true },
)
