import { statement } from '../db/statement.ts'

/** One row. A reading is taken when its minute is over, so half a minute ago is inside of it. */
export const write = statement<{ node: string; slotMs: number; sums: string }>(
  'metric_write',
  (p) => [p.node, p.slotMs, p.sums],
  `insert into metric_reading (at, slot_ms, node_id, sums)
   values (date_bin($2::integer * interval '1 millisecond', clock_timestamp() - $2::integer * interval '0.5 milliseconds', timestamptz 'epoch'), $2::integer, $1::uuid, $3::text::jsonb)`,
)

export interface SlotRow {
  readonly at: number
  readonly sums: Readonly<Record<string, number>>
}

/** Added up by the server: a few names for each slot, however many nodes there are. */
const BY_SLOT = `
   select extract(epoch from s.slot)::float8 * 1000 as at, jsonb_object_agg(s.key, s.value) as sums
     from (select date_bin($2::integer * interval '1 millisecond', f.at, timestamptz 'epoch') as slot, e.key, sum(e.value::numeric) as value
             from found f, jsonb_each_text(f.sums) e group by 1, 2) s
    group by s.slot order by s.slot`

/** The latest rows of the range, by the index on their time. */
export const read = statement<{ rangeMs: number; slotMs: number; limit: number }, SlotRow>(
  'metric_read',
  (p) => [p.rangeMs, p.slotMs, p.limit],
  `with found as materialized (
     select r.at, r.sums from metric_reading r
      where r.at >= (select date_bin($2::integer * interval '1 millisecond', clock_timestamp() - $1::float8 * interval '1 millisecond', timestamptz 'epoch'))
      order by r.at desc limit $3)${BY_SLOT}`,
  { readOnly: true },
)

/** Passes over the rows of other nodes in the same range. */
export const readOfNode = statement<{ rangeMs: number; slotMs: number; limit: number; node: string }, SlotRow>(
  'metric_read_of_node',
  (p) => [p.rangeMs, p.slotMs, p.limit, p.node],
  `with found as materialized (
     select r.at, r.sums from metric_reading r
      where r.at >= (select date_bin($2::integer * interval '1 millisecond', clock_timestamp() - $1::float8 * interval '1 millisecond', timestamptz 'epoch')) and r.node_id = $4::uuid
      order by r.at desc limit $3)${BY_SLOT}`,
  { readOnly: true },
)

/**
 * Takes the oldest rows of one length and puts their sums in: one statement, so one transaction. Only whole slots are old enough. Rows that
 * another one is at are left to it. By the index on their time, past the rows that were summed up before: a month of them are a thousand.
 */
export const rollUp = statement<
  { slotMs: number; intoMs: number; olderMs: number; limit: number },
  { readonly taken: string }
>(
  'metric_roll_up',
  (p) => [p.slotMs, p.intoMs, p.olderMs, p.limit],
  `with old as (
     delete from metric_reading r using (
       select x.id from metric_reading x
        where x.slot_ms = $1::integer and x.at < (select date_bin($2::integer * interval '1 millisecond', clock_timestamp() - $3::float8 * interval '1 millisecond', timestamptz 'epoch'))
        order by x.at limit $4 for update skip locked) o
      where r.id = o.id returning r.at, r.sums),
   added as (
     select date_bin($2::integer * interval '1 millisecond', o.at, timestamptz 'epoch') as slot, e.key, sum(e.value::numeric) as value
       from old o, jsonb_each_text(o.sums) e group by 1, 2),
   made as (
     insert into metric_reading (at, slot_ms, sums)
     select a.slot, $2::integer, jsonb_object_agg(a.key, a.value) from added a group by a.slot)
   select count(*) as taken from old`,
)

export const trim = statement<{ olderMs: number; limit: number }>(
  'metric_trim',
  (p) => [p.olderMs, p.limit],
  `delete from metric_reading r using (
     select x.id from metric_reading x
      where x.at < (select clock_timestamp() - $1::float8 * interval '1 millisecond') order by x.at limit $2 for update skip locked) o
    where r.id = o.id`,
)
