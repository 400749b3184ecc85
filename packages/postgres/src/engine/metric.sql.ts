import { statement } from '../db/statement.ts'

/** One row. A reading is taken when its minute is over, so half a minute ago is inside of it. */
export const write = statement<{ node: string; slotMs: number; sums: string; byDefinition: string | null }>(
  'metric_write',
  (p) => [p.node, p.slotMs, p.sums, p.byDefinition],
  `insert into metric_reading (at, slot_ms, node_id, sums, by_definition)
   values (date_bin($2::integer * interval '1 millisecond', clock_timestamp() - $2::integer * interval '0.5 milliseconds', timestamptz 'epoch'), $2::integer, $1::uuid, $3::text::jsonb, $4::text::jsonb)`,
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

export interface PartSlotRow extends SlotRow {
  readonly part: string
}

interface PartsParams {
  readonly rangeMs: number
  readonly slotMs: number
  readonly limit: number
  readonly most: number
}

/** From `parts` (slot, part, sums): those with most ends by name, all others together. Only what instances came to. */
const BY_PART = `,
   ranked as (
     select p.part, row_number() over (order by sum((select sum(e.value::numeric) from jsonb_each_text(p.sums) e where e.key like 'ended:%')) desc nulls last, p.part) as place
       from parts p where p.part <> '' group by p.part),
   folded as (
     select p.slot, case when k.place <= $4::integer then p.part else '' end as part, e.key, sum(e.value::numeric) as value
       from parts p left join ranked k on k.part = p.part cross join lateral jsonb_each_text(p.sums) e
      where e.key like 'ended:%' or e.key like 'duration:%' group by 1, 2, 3)
   select extract(epoch from f.slot)::float8 * 1000 as at, f.part, jsonb_object_agg(f.key, f.value) as sums
     from folded f group by f.slot, f.part order by f.slot, f.part`

/** The latest rows of the range, by the index on their time. Workflows of other tenants are told without their names. */
export const readByDefinition = statement<PartsParams & { readonly tenant: string }, PartSlotRow>(
  'metric_read_by_definition',
  (p) => [p.rangeMs, p.slotMs, p.limit, p.most, p.tenant],
  `with found as materialized (
     select r.at, r.by_definition from metric_reading r
      where r.at >= (select date_bin($2::integer * interval '1 millisecond', clock_timestamp() - $1::float8 * interval '1 millisecond', timestamptz 'epoch'))
        and r.by_definition is not null order by r.at desc limit $3),
   parts as materialized (
     select date_bin($2::integer * interval '1 millisecond', f.at, timestamptz 'epoch') as slot,
            case when d.key = $5::text || '/' || substring(d.key from '[^/]*$') then d.key else '' end as part, d.value as sums
       from found f, jsonb_each(f.by_definition) d)${BY_PART}`,
  { readOnly: true },
)

/** The same of one node: passes over the rows of others in the same range. */
export const readByDefinitionOfNode = statement<
  PartsParams & { readonly tenant: string; readonly node: string },
  PartSlotRow
>(
  'metric_read_by_definition_of_node',
  (p) => [p.rangeMs, p.slotMs, p.limit, p.most, p.tenant, p.node],
  `with found as materialized (
     select r.at, r.by_definition from metric_reading r
      where r.at >= (select date_bin($2::integer * interval '1 millisecond', clock_timestamp() - $1::float8 * interval '1 millisecond', timestamptz 'epoch'))
        and r.by_definition is not null and r.node_id = $6::uuid order by r.at desc limit $3),
   parts as materialized (
     select date_bin($2::integer * interval '1 millisecond', f.at, timestamptz 'epoch') as slot,
            case when d.key = $5::text || '/' || substring(d.key from '[^/]*$') then d.key else '' end as part, d.value as sums
       from found f, jsonb_each(f.by_definition) d)${BY_PART}`,
  { readOnly: true },
)

/** The latest rows that are still of one node. */
export const readByNode = statement<PartsParams, PartSlotRow>(
  'metric_read_by_node',
  (p) => [p.rangeMs, p.slotMs, p.limit, p.most],
  `with parts as materialized (
     select date_bin($2::integer * interval '1 millisecond', r.at, timestamptz 'epoch') as slot, r.node_id::text as part, r.sums
       from metric_reading r
      where r.at >= (select date_bin($2::integer * interval '1 millisecond', clock_timestamp() - $1::float8 * interval '1 millisecond', timestamptz 'epoch'))
        and r.node_id is not null order by r.at desc limit $3)${BY_PART}`,
  { readOnly: true },
)

/**
 * Takes the oldest rows of one length and puts their sums in: one statement, so one transaction. Only whole slots are old enough. Rows that
 * another one is at are left to it. By the index on their time, past the rows that were summed up before: a month of them are a thousand.
 * Of the workflows those with most ends stay by name in each slot: a row has a bound, however many there are.
 */
export const rollUp = statement<
  { slotMs: number; intoMs: number; olderMs: number; limit: number; definitions: number },
  { readonly taken: string }
>(
  'metric_roll_up',
  (p) => [p.slotMs, p.intoMs, p.olderMs, p.limit, p.definitions],
  `with old as (
     delete from metric_reading r using (
       select x.id from metric_reading x
        where x.slot_ms = $1::integer and x.at < (select date_bin($2::integer * interval '1 millisecond', clock_timestamp() - $3::float8 * interval '1 millisecond', timestamptz 'epoch'))
        order by x.at limit $4 for update skip locked) o
      where r.id = o.id returning r.at, r.sums, r.by_definition),
   added as (
     select date_bin($2::integer * interval '1 millisecond', o.at, timestamptz 'epoch') as slot, e.key, sum(e.value::numeric) as value
       from old o, jsonb_each_text(o.sums) e group by 1, 2),
   parts as (
     select date_bin($2::integer * interval '1 millisecond', o.at, timestamptz 'epoch') as slot, d.key as part, e.key, sum(e.value::numeric) as value
       from old o, jsonb_each(o.by_definition) d, jsonb_each_text(d.value) e group by 1, 2, 3),
   ranked as (
     select p.slot, p.part, row_number() over (partition by p.slot order by sum(p.value) filter (where p.key like 'ended:%') desc nulls last, p.part) as place
       from parts p where p.part <> '' group by p.slot, p.part),
   folded as (
     select p.slot, case when k.place <= $5::integer then p.part else '' end as part, p.key, sum(p.value) as value
       from parts p left join ranked k on k.slot = p.slot and k.part = p.part group by 1, 2, 3),
   split as (
     select x.slot, jsonb_object_agg(x.part, x.sums) as by_definition
       from (select f.slot, f.part, jsonb_object_agg(f.key, f.value) as sums from folded f group by 1, 2) x group by x.slot),
   summed as (
     select a.slot, jsonb_object_agg(a.key, a.value) as sums from added a group by a.slot),
   made as (
     insert into metric_reading (at, slot_ms, sums, by_definition)
     select s.slot, $2::integer, s.sums, y.by_definition from summed s left join split y on y.slot = s.slot)
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
