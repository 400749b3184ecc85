import type { Tending } from '@lockstep/engine/ports'
import { statement } from '../db/statement.ts'

export interface IncidentRow {
  readonly id: string
  readonly instance_id: string
  readonly definition_id: string | null
  readonly version: number | null
  readonly status: string | null
  readonly step: string | null
  readonly fingerprint: string
  readonly code: string
  readonly message: string
  readonly opened_at: number
  readonly resolved_at: number | null
  readonly resolution: string | null
  readonly note: string | null
}

const columns = `
  n.id, n.instance_id, i.definition_id, i.version, i.status, n.step, n.fingerprint, n.code, n.message, n.opened_at, n.resolved_at, n.resolution, n.note`

interface Page {
  readonly tenant: string
  readonly before: string | undefined
  readonly definitionId: string | undefined
  readonly code: string | undefined
  readonly fingerprint: string | undefined
  readonly limit: number
  readonly lookAt: number
}

const bindPage = (p: Page) => [p.tenant, p.before, p.definitionId, p.code, p.fingerprint, p.limit, p.lookAt] as const

/**
 * Newest first. `source` is a bounded number of rows in that order, and filters are applied on the way: a page reads on until it is full, and no
 * further. `last`: where one stopped that did not fill. A subquery, not a CTE, for the planner knows its order and need not sort.
 */
const page = (source: string, only = 'true'): string => `
  with fit as materialized (
    select ${columns} from (${source}) n
      left join lateral (select x.definition_id, x.version, x.status from instance x where x.id = n.instance_id offset 0) i on true
     where ${only} and ($3::text is null or i.definition_id = $3) and ($4::text is null or n.code = $4) and ($5::text is null or n.fingerprint = $5)
     order by n.id desc limit $6),
  stopped as materialized (
    select case when count(*) = $7 then (array_agg(l.id order by l.id))[1] end as last from (${source}) l where (select count(*) from fit) < $6)
  select fit.*, (select last from stopped) as last from fit
  union all
  select null, null, null, null, null, null, null, null, null, null, null, null, null, (select last from stopped)
   where not exists (select 1 from fit)`

const newest =
  'select * from incident x where x.tenant = $1 and ($2::uuid is null or x.id < $2) order by x.id desc limit $7'

const newestOpen =
  'select * from incident x where x.tenant = $1 and x.resolved_at is null and ($2::uuid is null or x.id < $2) order by x.id desc limit $7'

export type PageRow = { readonly [K in keyof IncidentRow]: IncidentRow[K] | null } & { readonly last: string | null }

/** What fits of a bounded number of rows, and how many those were. */
const counted = (source: string, only = 'true'): string => `
  select count(*) filter (
           where ${only} and ($3::text is null or exists (select 1 from instance i where i.id = n.instance_id and i.definition_id = $3))
             and ($4::text is null or n.code = $4) and ($5::text is null or n.fingerprint = $5))::integer as count,
         count(*)::integer as looked
    from (${source.replace('$7', '$6')}) n`

const bindCount = (p: Page) => [p.tenant, p.before, p.definitionId, p.code, p.fingerprint, p.lookAt] as const

interface CountRow {
  readonly count: number
  readonly looked: number
}

/** By primary key. */
export const countAll = statement<Page, CountRow>('incident_count', bindCount, counted(newest), { readOnly: true })

/** By the index of open ones. */
export const countOpenOf = statement<Page, CountRow>('incident_count_open_of', bindCount, counted(newestOpen), {
  readOnly: true,
})

/** By primary key. */
export const countResolved = statement<Page, CountRow>(
  'incident_count_resolved',
  bindCount,
  counted(newest, 'n.resolved_at is not null'),
  { readOnly: true },
)

/** By primary key. */
export const listAll = statement<Page, PageRow>('incident_list', bindPage, page(newest), { readOnly: true })

/** By the index of open ones. */
export const listOpen = statement<Page, PageRow>('incident_list_open', bindPage, page(newestOpen), { readOnly: true })

/** By primary key, over the open ones between them: few resolved ones behind many open ones take several pages, and no long look. */
export const listResolved = statement<Page, PageRow>(
  'incident_list_resolved',
  bindPage,
  page(newest, 'n.resolved_at is not null'),
  { readOnly: true },
)

/** By the index on the instance. */
export const listOfInstance = statement<Page & { instanceId: string }, PageRow>(
  'incident_list_of_instance',
  (p) => [...bindPage(p), p.instanceId],
  page(
    'select * from incident x where x.instance_id = $8 and x.tenant = $1 and ($2::uuid is null or x.id < $2) order by x.id desc limit $7',
  ),
  { readOnly: true },
)

/** By primary key. */
export const one = statement<{ tenant: string; id: string }, IncidentRow>(
  'incident_one',
  (p) => [p.tenant, p.id],
  `select ${columns} from incident n left join instance i on i.id = n.instance_id and i.tenant = n.tenant where n.id = $2 and n.tenant = $1`,
  { readOnly: true },
)

export interface GroupRow {
  readonly fingerprint: string
  readonly definition_id: string | null
  readonly code: string
  readonly step: string | null
  readonly message: string
  readonly open: number
  readonly instances: number
  readonly first_at: number
  readonly last_at: number
  readonly first_version: number | null
  readonly last_version: number | null
  readonly clean_version: number | null
  readonly slot_ms: number
  readonly from_ms: number
  /** Those that are not empty, and how many came in each. */
  readonly slots: readonly number[] | null
  readonly counts: readonly number[] | null
  readonly acknowledged_at: number | null
  readonly acknowledged_by: string | null
  readonly assignee: string | null
  readonly muted_until: number | null
  readonly note: string | null
}

interface Groups {
  readonly tenant: string
  readonly definitionId?: string | undefined
  readonly muted?: boolean | undefined
  readonly limit: number
  readonly lookAt: number
  readonly slots: number
  readonly slotMs: readonly number[]
  readonly runs: number
}

/**
 * Grouped by instance first: a count of distinct ones would sort them all. `heard`: muted, but a version failed that was published later; of muted groups
 * alone, and by primary key. What was said of a group holds while any of it is open that was then. `before`: the last runs of any workflow before a
 * version was published, by primary key, whose first half is the time, once for each version that a group on the page began with; their incidents by
 * the index on the instance.
 */
const grouped = (open: string): string => `
   with newest as materialized (
     select x.id, x.instance_id, x.fingerprint, x.opened_at from incident x where x.tenant = $1 and x.resolved_at is null ${open}),
   alike as (
     select a.fingerprint, sum(a.open)::integer as open, count(*)::integer as instances, min(a.first_at) as first_at, max(a.last_at) as last_at,
            min(a.oldest)::uuid as oldest, max(a.newest)::uuid as newest
       from (select n.fingerprint, n.instance_id, count(*) as open, min(n.opened_at) as first_at, max(n.opened_at) as last_at,
                    min(n.id::text collate "C") as oldest, max(n.id::text collate "C") as newest
               from newest n
              group by n.fingerprint, n.instance_id) a
      group by a.fingerprint),
   heard as materialized (
     select distinct n.fingerprint
       from newest n join incident_care c on c.tenant = $1 and c.fingerprint = n.fingerprint and c.muted_until > clock_timestamp() and n.opened_at >= c.muted_at
       join lateral (select x.version from instance x where x.id = n.instance_id offset 0) i on i.version > c.muted_version),
   cared as (
     select g.*, c.note as said,
            case when c.acknowledged_at >= g.first_at then c.acknowledged_at end as acknowledged_at,
            case when c.acknowledged_at >= g.first_at then c.acknowledged_by end as acknowledged_by,
            case when c.assigned_at >= g.first_at then c.assignee end as assignee,
            case when c.muted_until > clock_timestamp() and h.fingerprint is null then c.muted_until end as muted_until
       from alike g
       left join incident_care c on c.tenant = $1 and c.fingerprint = g.fingerprint
       left join heard h on h.fingerprint = g.fingerprint),
   told as materialized (
     select g.fingerprint, g.open, g.instances, g.first_at, g.last_at, n.code, n.step, n.message, i.definition_id, i.version as last_version, o.version as first_version,
            g.acknowledged_at, g.acknowledged_by, g.assignee, g.muted_until,
            case when coalesce(g.acknowledged_at, g.muted_until) is not null or g.assignee is not null then g.said end as note
       from cared g
       join lateral (select x.instance_id, x.code, x.step, x.message from incident x where x.id = g.newest and x.tenant = $1 offset 0) n on true
       left join lateral (select x.definition_id, x.version from instance x where x.id = n.instance_id offset 0) i on true
       left join lateral (select y.version from incident x join instance y on y.id = x.instance_id where x.id = g.oldest and x.tenant = $1 offset 0) o on true
      where ($2::text is null or i.definition_id = $2) and ($5::boolean is null or (g.muted_until is not null) = $5)
      order by g.open desc, g.fingerprint limit $3),
   span as materialized (
     select t.fingerprint, w.slot_ms, w.from_ms
       from told t
       cross join (select extract(epoch from clock_timestamp())::float8 * 1000 as now) m
       cross join lateral (
         select f.slot_ms, f.from_ms, extract(epoch from t.first_at)::float8 * 1000 >= f.from_ms as holds
           from (select s.ms as slot_ms, (floor(m.now / s.ms) - $6::integer + 1) * s.ms as from_ms from unnest($7::float8[]) s(ms)) f
          order by holds desc, case when extract(epoch from t.first_at)::float8 * 1000 >= f.from_ms then f.slot_ms else -f.slot_ms end limit 1) w),
   came as (
     select c.fingerprint, array_agg(c.slot) as slots, array_agg(c.count) as counts
       from (select n.fingerprint, least($6::integer - 1, floor((extract(epoch from n.opened_at)::float8 * 1000 - s.from_ms) / s.slot_ms))::integer as slot,
                    count(*)::integer as count
               from newest n join span s on s.fingerprint = n.fingerprint and extract(epoch from n.opened_at)::float8 * 1000 >= s.from_ms
              group by 1, 2) c
      group by c.fingerprint),
   before as materialized (
     select p.definition_id, p.first_version, r.id, r.version, r.status
       from (select distinct t.definition_id, t.first_version from told t where t.first_version > 1 and t.last_version >= t.first_version) p
       cross join lateral (
         select d.published_at from definition_version d where d.id = p.definition_id and d.version = p.first_version and d.tenant = $1 offset 0) v
       cross join lateral (
         select x.id, x.tenant, x.definition_id, x.version, x.status from instance x
          where x.id < rpad(lpad(to_hex((extract(epoch from v.published_at) * 1000)::bigint), 12, '0'), 32, '0')::uuid
          order by x.id desc limit $8) r
      where r.tenant = $1 and r.definition_id = p.definition_id and r.version < p.first_version),
   ran as (
     select r.definition_id, r.first_version, max(r.version) filter (where r.status = 'completed') as version from before r group by 1, 2),
   known as materialized (
     select distinct r.definition_id, r.first_version, x.fingerprint
       from before r cross join lateral (select n.fingerprint from incident n where n.instance_id = r.id and n.tenant = $1 offset 0) x)
   select t.*, s.slot_ms, s.from_ms, c.slots, c.counts, case when k.fingerprint is null and t.last_version >= t.first_version then r.version end as clean_version
     from told t
     join span s on s.fingerprint = t.fingerprint
     left join came c on c.fingerprint = t.fingerprint
     left join ran r on r.definition_id = t.definition_id and r.first_version = t.first_version
     left join known k on k.definition_id = t.definition_id and k.first_version = t.first_version and k.fingerprint = t.fingerprint
    order by t.open desc, t.fingerprint`

const bindGroups = (p: Groups): readonly unknown[] => [
  ...[p.tenant, p.definitionId, p.limit, p.lookAt, p.muted],
  ...[p.slots, p.slotMs, p.runs],
]

/** Of the newest open ones, by the index of them. */
export const groups = statement<Groups, GroupRow>(
  'incident_groups',
  bindGroups,
  grouped('order by x.id desc limit $4'),
  { readOnly: true },
)

/** One of them, by the index of open ones that are alike: many others may have come after it. */
export const group = statement<Groups & { fingerprint: string }, GroupRow>(
  'incident_group',
  (p) => [...bindGroups(p), p.fingerprint],
  grouped('and x.fingerprint = $9 limit $4'),
  { readOnly: true },
)

/** One row, where any of the group is open; each part is told whether it changes at all. By the index of open ones that are alike, and primary keys. */
export const tend = statement<Tending, { fingerprint: string }>(
  'incident_tend',
  (p) => [
    ...[p.tenant, p.fingerprint, p.by, p.acknowledged, p.assignee !== undefined, p.assignee],
    ...[p.muteMs !== undefined, p.muteMs, p.note],
  ],
  `insert into incident_care as c
     (tenant, fingerprint, acknowledged_at, acknowledged_by, assigned_at, assignee, muted_at, muted_until, muted_version, note, changed_at)
   select $1, $2, case when $4::boolean then t.at end, case when $4::boolean then $3::text end,
          case when $6::text is not null then t.at end, $6::text,
          case when $8::float8 is not null then t.at end, t.at + $8::float8 * interval '1 millisecond',
          case when $8::float8 is not null then d.latest end, $9::text, t.at
     from (select x.instance_id from incident x where x.tenant = $1 and x.fingerprint = $2 and x.resolved_at is null limit 1) n
     cross join (select clock_timestamp() as at) t
     left join instance i on i.id = n.instance_id and i.tenant = $1
     left join definition d on d.id = i.definition_id and d.tenant = $1
   on conflict (tenant, fingerprint) do update set
     acknowledged_at = case when $4::boolean is null then c.acknowledged_at else excluded.acknowledged_at end,
     acknowledged_by = case when $4::boolean is null then c.acknowledged_by else excluded.acknowledged_by end,
     assigned_at = case when $5::boolean then excluded.assigned_at else c.assigned_at end,
     assignee = case when $5::boolean then excluded.assignee else c.assignee end,
     muted_at = case when $7::boolean then excluded.muted_at else c.muted_at end,
     muted_until = case when $7::boolean then excluded.muted_until else c.muted_until end,
     muted_version = case when $7::boolean then excluded.muted_version else c.muted_version end,
     note = excluded.note, changed_at = excluded.changed_at
   returning c.fingerprint`,
)

/**
 * A few of what was said long ago of groups that have nothing open: whoever writes a row takes more than one away, and the table stays small. The age is
 * looked at twice: somebody may speak of one of them while this waits for its row.
 */
export const forgetCare = statement<{ tenant: string; fingerprint: string; limit: number }>(
  'incident_care_forget',
  (p) => [p.tenant, p.fingerprint, p.limit],
  `delete from incident_care c
    where c.tenant = $1 and c.changed_at < clock_timestamp() - interval '30 days' and c.fingerprint = any (array(
      select o.fingerprint from incident_care o
       where o.tenant = $1 and o.fingerprint <> $2 and o.changed_at < clock_timestamp() - interval '30 days'
         and (o.muted_until is null or o.muted_until < clock_timestamp())
         and not exists (select 1 from incident x where x.tenant = $1 and x.fingerprint = o.fingerprint and x.resolved_at is null)
       order by o.changed_at limit $3))`,
)

export const countOpen = statement<{ tenant: string; most: number }, { count: number }>(
  'incident_count_open',
  (p) => [p.tenant, p.most],
  'select count(*)::integer as count from (select 1 from incident x where x.tenant = $1 and x.resolved_at is null limit $2) t',
  { readOnly: true },
)

/** By the index of resolved ones, which knows no tenants: a bounded number of the last. */
export const lastResolved = statement<{ tenant: string; lookAt: number }, IncidentRow>(
  'incident_last_resolved',
  (p) => [p.tenant, p.lookAt],
  `select ${columns}
     from (select * from incident x where x.resolved_at is not null order by x.resolved_at desc limit $2) n
     left join lateral (select x.definition_id, x.version, x.status from instance x where x.id = n.instance_id offset 0) i on true
    where n.tenant = $1 order by n.resolved_at desc limit 1`,
  { readOnly: true },
)

/** Migration 0012. */
export const resolve = statement<
  {
    tenant: string
    id: string
    resolution: string
    note: string | undefined
    kind: string | undefined
    payload: string | undefined
  },
  { outcome: string; instance: string | null; detail: string | null }
>(
  'incident_resolve',
  (p) => [p.tenant, p.id, p.resolution, p.note, p.kind, p.payload],
  'select * from lockstep_resolve($1, $2, $3, $4, $5, $6)',
)
