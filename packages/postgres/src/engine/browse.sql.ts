/** Lists in both directions. Each is two statements, one per direction, over the same bounded stretch of an index. */
import { statement } from '../db/statement.ts'
import { columns, type ViewRow } from './instance.sql.ts'
import type { RunTableRow } from './schedule.sql.ts'

const FIRST_ID = `'00000000-0000-0000-0000-000000000000'::uuid`
const LAST_ID = `'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`

/** Rows that one page looks at. */
export const LOOK_AT = 10_000

/** Between two keys; the nearer one, where the page begins, is excluded, the farther one, where the search ends, is not. */
export interface Stretch {
  readonly from: string | undefined
  readonly to: string | undefined
}

/** By the partial index of copies, newest first. */
export const forks = statement<{ tenant: string; of: string; from: string | undefined; limit: number }, ViewRow>(
  'browse_forks',
  (p) => [p.tenant, p.of, p.from, p.limit],
  `select ${columns} from instance i left join agenda a on a.instance_id = i.id
    where i.forked_from = $2 and i.tenant = $1 and i.id < coalesce($3::uuid, ${LAST_ID}) order by i.id desc limit $4`,
  { readOnly: true },
)

export const runColumns =
  'id, key, state, reason, origin, nominal_at, last_at, count, exact, late, instance_id, decided_at, fired_at, node_id, ended_at, status'

interface RunsListed {
  readonly tenant: string
  readonly id: string
  readonly from: string | undefined
  readonly limit: number
}

export const runsDown = statement<RunsListed, RunTableRow>(
  'browse_runs_down',
  (p) => [p.tenant, p.id, p.from, p.limit],
  `select ${runColumns} from schedule_run
    where schedule_id = $2 and tenant = $1 and id < coalesce($3::uuid, ${LAST_ID}) order by id desc limit $4`,
  { readOnly: true },
)

export const runsUp = statement<RunsListed, RunTableRow>(
  'browse_runs_up',
  (p) => [p.tenant, p.id, p.from, p.limit],
  `select ${runColumns} from schedule_run
    where schedule_id = $2 and tenant = $1 and id > coalesce($3::uuid, ${FIRST_ID}) order by id limit $4`,
  { readOnly: true },
)

export const runCount = statement<RunsListed, { count: number }>(
  'browse_run_count',
  (p) => [p.tenant, p.id],
  `select count(*)::integer as count
     from (select 1 from schedule_run where schedule_id = $2 and tenant = $1 limit ${LOOK_AT + 1}) x`,
  { readOnly: true },
)

export interface NodeTableRow {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly started_at: number
  readonly beat_at: number
  readonly silent_ms: number
  readonly doomed: boolean
  readonly holds: number
  readonly roles: readonly string[]
  readonly state: string
  readonly wanted: string
  readonly capacity: number
  readonly held: number
  readonly skew_ms: number | null
}

/** Claims have no index of their own: rows of the agenda are counted up to a bound, once for all nodes. */
export const nodes = statement<undefined, NodeTableRow>(
  'browse_nodes',
  () => [],
  `with held as materialized (
     select claimed_by as id, count(*)::integer as count
       from (select claimed_by from agenda where claimed_by is not null limit ${LOOK_AT}) a group by claimed_by)
   select n.id, n.name, n.version, n.started_at, n.beat_at,
          greatest(0, extract(epoch from clock_timestamp() - n.beat_at) * 1000)::float8 as silent_ms,
          n.doomed, coalesce(h.count, 0) as holds, n.roles, n.state, n.wanted, n.capacity, n.held, n.skew_ms
     from node n left join held h on h.id = n.id order by n.name, n.id limit 1000`,
  { readOnly: true },
)

export interface HeldRow {
  readonly instance_id: string
  readonly definition_id: string
  readonly node_id: string
  readonly node_name: string | null
  readonly claim_no: number
  readonly doomed: boolean | null
  readonly silent_ms: number | null
}

const heldColumns = `a.instance_id, i.definition_id, a.claimed_by as node_id, n.name as node_name, a.claim_no, n.doomed,
          greatest(0, extract(epoch from clock_timestamp() - n.beat_at) * 1000)::float8 as silent_ms`
const heldFrom =
  'join instance i on i.id = a.instance_id and i.tenant = a.tenant left join node n on n.id = a.claimed_by'

export const heldBoundUp = statement<{ from: string | undefined }, { id: string }>(
  'browse_held_bound_up',
  (p) => [p.from],
  `select instance_id as id from agenda where instance_id > coalesce($1::uuid, ${FIRST_ID})
    order by instance_id offset ${LOOK_AT - 1} limit 1`,
  { readOnly: true },
)

export const heldBoundDown = statement<{ from: string | undefined }, { id: string }>(
  'browse_held_bound_down',
  (p) => [p.from],
  `select instance_id as id from agenda where instance_id < coalesce($1::uuid, ${LAST_ID})
    order by instance_id desc offset ${LOOK_AT - 1} limit 1`,
  { readOnly: true },
)

export const heldUp = statement<Stretch & { tenant: string; limit: number }, HeldRow>(
  'browse_held_up',
  (p) => [p.tenant, p.from, p.to, p.limit],
  `select ${heldColumns} from agenda a ${heldFrom}
    where a.instance_id > coalesce($2::uuid, ${FIRST_ID}) and a.instance_id <= coalesce($3::uuid, ${LAST_ID})
      and a.tenant = $1 and a.claimed_by is not null
    order by a.instance_id limit $4`,
  { readOnly: true },
)

export const heldDown = statement<Stretch & { tenant: string; limit: number }, HeldRow>(
  'browse_held_down',
  (p) => [p.tenant, p.from, p.to, p.limit],
  `select ${heldColumns} from agenda a ${heldFrom}
    where a.instance_id < coalesce($2::uuid, ${LAST_ID}) and a.instance_id >= coalesce($3::uuid, ${FIRST_ID})
      and a.tenant = $1 and a.claimed_by is not null
    order by a.instance_id desc limit $4`,
  { readOnly: true },
)

/** By primary key. */
export const holder = statement<{ tenant: string; id: string }, HeldRow>(
  'browse_holder',
  (p) => [p.tenant, p.id],
  `select ${heldColumns} from agenda a ${heldFrom}
    where a.instance_id = $2 and a.tenant = $1 and a.claimed_by is not null`,
  { readOnly: true },
)

/** Each line by its partial index, up to a thousand places. */
export const lockLines = statement<
  { names: readonly string[]; tenants: readonly string[]; keys: readonly string[] },
  { name: string; count: number }
>(
  'browse_lock_lines',
  (p) => [p.names, p.tenants, p.keys],
  `select n.name, count(distinct w.instance_id)::integer as count
     from unnest($1::text[], $2::text[], $3::text[]) as n(name, tenant, key)
    cross join lateral (
      select p.instance_id from step_permit p
       where p.tenant = n.tenant and p.kind = 'lock' and p.key = n.key and p.node_id is null limit 1000) w
    group by n.name`,
  { readOnly: true },
)

/** Lines by their partial index, the longest waits first; for the others, the last fact of each by primary key. Whoever waits for a section has nothing else to tell. */
const lockWaiting = `line as materialized (
          select p.tenant, p.key, p.instance_id, p.step, p.asked_at as since, false as is_endless
            from step_permit p where p.kind = 'lock' and p.node_id is null order by p.asked_at limit 1000),
        looked as materialized (select a.instance_id, a.tenant from agenda a order by a.instance_id limit 1000),
        section as (
          select l.tenant, j.data -> 'wait' ->> 'name' as key, l.instance_id, j.data ->> 'step' as step, j.at as since,
                 j.data -> 'wait' -> 'timeoutMs' is null as is_endless
            from looked l cross join lateral (
                   select f.kind, f.at, f.data from journal f where f.instance_id = l.instance_id and f.tenant = l.tenant order by f.seq desc limit 1) j
           where j.kind = 'waiting' and j.data -> 'wait' ->> 'kind' = 'lock'),
        waiting as (select * from line union all select * from section)`

export const lockWaits = statement<object, { tenant: string; key: string; count: number; since: number }>(
  'browse_lock_waits',
  () => [],
  `with ${lockWaiting}
   select w.tenant, w.key, count(distinct w.instance_id)::integer as count, min(w.since) as since from waiting w group by w.tenant, w.key`,
  { readOnly: true },
)

/** With nobody to tell of there is one row, without an instance. */
export interface LockWaiterRow {
  readonly is_cut: boolean
  readonly tenant: string
  readonly key: string
  readonly instance_id: string | null
  readonly definition_id: string
  readonly step: string
  readonly since: number
  readonly is_endless: boolean
}

/** The same, each by itself, who has waited longest first; definitions by primary key. */
export const lockWaiters = statement<{ limit: number }, LockWaiterRow>(
  'browse_lock_waiters',
  (p) => [p.limit],
  `with ${lockWaiting}
   select cut.is_cut, told.*
     from (select 1000 in ((select count(*) from line), (select count(*) from looked)) or (select count(*) from waiting) > $1 as is_cut) cut
     left join (
       select w.tenant, w.key, w.instance_id, i.definition_id, w.step, w.since, w.is_endless
         from (select * from waiting order by since limit $1) w join instance i on i.id = w.instance_id and i.tenant = w.tenant) told on true
    order by told.since`,
  { readOnly: true },
)
