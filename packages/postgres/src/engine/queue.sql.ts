import { statement } from '../db/statement.ts'

export interface QueueRow {
  readonly name: string
  readonly due: number
  readonly oldest_due_at: number | null
  readonly later: number
  readonly next_due_at: number | null
}

const MOST_QUEUES = 100
/** Rows that are counted of each kind, at most. */
const MOST_ROWS = 10_000

/**
 * What waits for a worker, by queue. Queues are found by jumps along the indexes of free rows; of each, a bounded number of rows is looked at:
 * those that have run by when they are due, new ones as they come.
 */
export const queues = statement<undefined, QueueRow>(
  'browse_queues',
  () => [],
  `with recursive moment as materialized (select clock_timestamp() as now),
   jump (name, n) as (
     select least((select min(queue) from agenda where claimed_by is null and claim_no > 0),
                  (select min(queue) from agenda where claimed_by is null and claim_no = 0)), 1
     union all
     select least((select min(queue) from agenda where claimed_by is null and claim_no > 0 and queue > j.name),
                  (select min(queue) from agenda where claimed_by is null and claim_no = 0 and queue > j.name)), j.n + 1
       from jump j where j.name is not null and j.n < ${MOST_QUEUES})
   select j.name, (ran.count + fresh.count)::integer as due, least(ran.first, fresh.first) as oldest_due_at,
          later.count::integer as later, later.first as next_due_at
     from jump j cross join moment m
     cross join lateral (select count(*), min(x.due_at) as first from (
       select due_at from agenda a where a.queue = j.name and a.claimed_by is null and a.claim_no > 0 and a.due_at <= m.now
        order by a.due_at limit ${MOST_ROWS}) x) ran
     cross join lateral (select count(*), min(x.due_at) as first from (
       select due_at from agenda a where a.queue = j.name and a.claimed_by is null and a.claim_no = 0 limit ${MOST_ROWS}) x
        where x.due_at <= m.now) fresh
     cross join lateral (select count(*), min(x.due_at) as first from (
       select due_at from agenda a where a.queue = j.name and a.claimed_by is null and a.claim_no > 0 and a.due_at > m.now
        order by a.due_at limit ${MOST_ROWS}) x) later
    where j.name is not null order by j.name`,
  { readOnly: true },
)

/** Queues, and tenants in them, that are looked into for the oldest row: each is one step along an index. */
const MOST_PLACES = 500

/**
 * How long the oldest free row has been due, of graphs and of functions (`start-planner.ts` names their queues). Jumps along `agenda_due` from queue to
 * queue, and along `agenda_new` from tenant to tenant; the first row of each is its oldest.
 */
export const oldestDue = statement<undefined, { graphs: number | null; functions: number | null }>(
  'queue_oldest_due',
  () => [],
  `with recursive ran (queue, due_at, n) as (
     (select queue, due_at, 1 from agenda where claimed_by is null and claim_no > 0 order by queue, due_at limit 1)
     union all
     select x.* from ran r cross join lateral (
       select a.queue, a.due_at, r.n + 1 from agenda a
        where a.claimed_by is null and a.claim_no > 0 and a.queue > r.queue order by a.queue, a.due_at limit 1) x
      where r.n < ${MOST_PLACES}),
   graph (tenant, due_at, n) as (
     (select tenant, due_at, 1 from agenda where claimed_by is null and claim_no = 0 and queue = 'default' order by tenant, due_at limit 1)
     union all
     select x.* from graph g cross join lateral (
       select a.tenant, a.due_at, g.n + 1 from agenda a
        where a.claimed_by is null and a.claim_no = 0 and a.queue = 'default' and a.tenant > g.tenant order by a.tenant, a.due_at limit 1) x
      where g.n < ${MOST_PLACES}),
   func (queue, tenant, due_at, n) as (
     (select queue, tenant, due_at, 1 from agenda where claimed_by is null and claim_no = 0 and queue > 'default' order by queue, tenant, due_at limit 1)
     union all
     select x.* from func f cross join lateral (
       select a.queue, a.tenant, a.due_at, f.n + 1 from agenda a
        where a.claimed_by is null and a.claim_no = 0 and (a.queue, a.tenant) > (f.queue, f.tenant) order by a.queue, a.tenant, a.due_at limit 1) x
      where f.n < ${MOST_PLACES}),
   first (is_graph, due_at) as (
     select queue = 'default', due_at from ran union all select true, due_at from graph union all select false, due_at from func)
   select extract(epoch from clock_timestamp() - min(due_at) filter (where is_graph))::float8 * 1000 as graphs,
          extract(epoch from clock_timestamp() - min(due_at) filter (where not is_graph))::float8 * 1000 as functions
     from first where due_at <= (select clock_timestamp())`,
  { readOnly: true },
)
