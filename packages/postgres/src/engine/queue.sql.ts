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
