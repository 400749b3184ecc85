import { statement } from '../db/statement.ts'

/** Transactions below the horizon are over; their ids times 2^20 are positions (migration 0002). */
const HORIZON = 'pg_snapshot_xmin(pg_current_snapshot())::text::bigint << 20'

export interface LiveRow {
  readonly topic: string
  readonly type: string
  readonly pos: string
  readonly n: string
  readonly at: number | null
  readonly tenant: string | null
  readonly subject: string | null
  readonly seq: number | null
  readonly node_id: string | null
  readonly detail: string | null
  readonly data: unknown
  /** Facts about a lock: its name, and the number of the grant where there is one. */
  readonly lock: string | null
  readonly fence: string | null
}

/**
 * Facts (as many as `factLimit`, none when it is 0) and changes behind a place, and a last row that says how far was looked. At most `span` transactions at once: the index of positions
 * knows ranges of pages, and all that fits is read before it is ordered. Payloads stay where they are.
 */
export const read = statement<{ pos: string; n: number; span: number; limit: number; factLimit: number }, LiveRow>(
  'live_read',
  (p) => [p.pos, p.n, p.span, p.limit, p.factLimit],
  `with bound as materialized (select ${HORIZON} as horizon),
        cut as materialized (select horizon, least(horizon, $1::bigint + ($3::bigint << 20)) as until from bound)
   (select 'instances' as topic, f.kind as type, f.pos, 0::bigint as n, f.at, f.tenant, f.instance_id::text as subject, f.seq, f.node_id::text as node_id,
           f.detail, null::json as data, f.lock, f.fence
      from cut, lockstep_facts_and_locks($1::bigint, cut.until, $5::integer) f where $5::integer > 0)
   union all
   (select c.topic, c.type, c.pos, c.n, c.at, c.tenant, c.subject, null, null, null, c.data, null, null
      from live_change c where (c.pos, c.n) > ($1::bigint, $2::bigint) and c.pos < (select until from cut) order by c.pos, c.n limit $4)
   union all
   select 'end', case when until = horizon then 'all' else 'part' end, until, 0, null, null, null, null, null, null, null, null, null from cut`,
  { readOnly: true },
)

/** Brings the index of positions up to date. `all`: of the whole journal, not only of its end. */
export const sumUp = statement<{ all: boolean }, { count: number }>(
  'live_sum_up',
  (p) => [p.all],
  `select lockstep_sum_up_journal($1::boolean) as count`,
  { readOnly: true },
)

/** Where everything is decided up to, and the oldest change that is kept. By primary key. */
export const span = statement<undefined, { horizon: string; oldest: string | null; n: string | null }>(
  'live_span',
  () => [],
  `select ${HORIZON} as horizon, c.pos as oldest, c.n
     from (select 1) as one left join lateral (select x.pos, x.n from live_change x order by x.n limit 1) c on true`,
  { readOnly: true },
)
