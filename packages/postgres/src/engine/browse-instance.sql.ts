/** Lists of instances. Each is two statements, one per direction, over the same bounded stretch of the primary key, or over ids that an index gave. */
import { statement } from '../db/statement.ts'
import { LOOK_AT, type Stretch } from './browse.sql.ts'
import { columns, shownStatus, type ViewRow } from './instance.sql.ts'

const FIRST_ID = `'00000000-0000-0000-0000-000000000000'::uuid`
const LAST_ID = `'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`

export const instanceBoundDown = statement<{ from: string | undefined }, { id: string }>(
  'browse_instance_bound_down',
  (p) => [p.from],
  `select id from instance where id < coalesce($1::uuid, ${LAST_ID}) order by id desc offset ${LOOK_AT - 1} limit 1`,
  { readOnly: true },
)

export const instanceBoundUp = statement<{ from: string | undefined }, { id: string }>(
  'browse_instance_bound_up',
  (p) => [p.from],
  `select id from instance where id > coalesce($1::uuid, ${FIRST_ID}) order by id offset ${LOOK_AT - 1} limit 1`,
  { readOnly: true },
)

export interface InstanceListed extends Stretch {
  readonly tenant: string
  readonly definitionIds: readonly string[] | undefined
  readonly version: number | undefined
  readonly statuses: readonly string[] | undefined
  readonly correlationId: string | undefined
  readonly parentId: string | undefined
  readonly createdFrom: Date | undefined
  readonly createdUntil: Date | undefined
  readonly finishedFrom: Date | undefined
  readonly finishedUntil: Date | undefined
  readonly paths: readonly string[] | undefined
  readonly values: readonly string[] | undefined
  readonly tags: readonly string[] | undefined
  readonly text: string | undefined
  readonly idPrefix: string | undefined
  /** `true`: not those that are queued. */
  readonly begun: true | undefined
  readonly limit: number
}

const bindWanted = (p: InstanceListed): readonly unknown[] => [
  p.tenant,
  p.from,
  p.to,
  p.definitionIds,
  p.version,
  p.statuses,
  p.correlationId,
  p.parentId,
  p.createdFrom,
  p.createdUntil,
  p.finishedFrom,
  p.finishedUntil,
  p.paths,
  p.values,
  p.tags,
  p.text,
  p.idPrefix,
  p.begun,
]

/**
 * Inputs stand in the first fact, tags and names with the workflow: one row by primary key each, of those that fit otherwise. What a text means
 * stands in migration 0036 as well, for bulk operations.
 */
const wanted = `i.tenant = $1
      and ($4::text[] is null or i.definition_id = any ($4))
      and ($5::integer is null or i.version = $5)
      and ($6::text[] is null or ${shownStatus} = any ($6))
      and ($7::text is null or i.correlation_id = $7)
      and ($8::uuid is null or i.parent_id = $8)
      and ($9::timestamptz is null or i.created_at >= $9) and ($10::timestamptz is null or i.created_at < $10)
      and ($11::timestamptz is null or i.finished_at >= $11) and ($12::timestamptz is null or i.finished_at < $12)
      and ($18::boolean is null or ${shownStatus} <> 'queued')
      and ($15::text[] is null or exists (
            select 1 from definition d where d.id = i.definition_id and d.tenant = i.tenant and d.tags && $15))
      and ($16::text is null or starts_with(i.correlation_id, $16) or starts_with(i.id::text, $17::text) or exists (
            select 1 from definition d where d.id = i.definition_id and d.tenant = i.tenant
               and (position(lower($16) in lower(d.id)) > 0 or position(lower($16) in lower(d.name)) > 0)))
      and ($13::text[] is null or not exists (
            select 1 from unnest($13::text[], $14::text[]) as f(path, value)
             where (select j.data #>> f.path::text[] from journal j where j.instance_id = i.id and j.seq = 1) is distinct from f.value))`

const joined = 'from instance i left join agenda a on a.instance_id = i.id'
const below = `i.id < coalesce($2::uuid, ${LAST_ID}) and i.id >= coalesce($3::uuid, ${FIRST_ID})`
const above = `i.id > coalesce($2::uuid, ${FIRST_ID}) and i.id <= coalesce($3::uuid, ${LAST_ID})`

export const instancesDown = statement<InstanceListed, ViewRow>(
  'browse_instances_down',
  (p) => [...bindWanted(p), p.limit],
  `select ${columns} ${joined} where ${below} and ${wanted} order by i.id desc limit $19`,
  { readOnly: true },
)

export const instancesUp = statement<InstanceListed, ViewRow>(
  'browse_instances_up',
  (p) => [...bindWanted(p), p.limit],
  `select ${columns} ${joined} where ${above} and ${wanted} order by i.id limit $19`,
  { readOnly: true },
)

/** The stretch that the first page looks at, counted. */
export const instanceCountDown = statement<InstanceListed, { count: number }>(
  'browse_instance_count_down',
  bindWanted,
  `select count(*)::integer as count ${joined} where ${below} and ${wanted}`,
  { readOnly: true },
)

export const instanceCountUp = statement<InstanceListed, { count: number }>(
  'browse_instance_count_up',
  bindWanted,
  `select count(*)::integer as count ${joined} where ${above} and ${wanted}`,
  { readOnly: true },
)

/** Of those that an index gave: at most as many as a stretch has. */
export interface InstancesAmong extends InstanceListed {
  readonly ids: readonly string[]
}

export const instancesAmongDown = statement<InstancesAmong, ViewRow>(
  'browse_instances_among_down',
  (p) => [...bindWanted(p), p.limit, p.ids],
  `select ${columns} ${joined} where i.id = any ($20::uuid[]) and ${below} and ${wanted} order by i.id desc limit $19`,
  { readOnly: true },
)

export const instancesAmongUp = statement<InstancesAmong, ViewRow>(
  'browse_instances_among_up',
  (p) => [...bindWanted(p), p.limit, p.ids],
  `select ${columns} ${joined} where i.id = any ($20::uuid[]) and ${above} and ${wanted} order by i.id limit $19`,
  { readOnly: true },
)

export const instanceCountAmong = statement<InstancesAmong, { count: number }>(
  'browse_instance_count_among',
  (p) => [...bindWanted(p), p.ids],
  `select count(*)::integer as count ${joined} where i.id = any ($19::uuid[]) and ${below} and ${wanted}`,
  { readOnly: true },
)

const counted = (within: string): string => `
  select n.status, count(*)::integer as count from (select ${shownStatus} as status ${joined} where ${within} and ${wanted}) n group by n.status`

/** The newest stretch, by status. */
export const instanceStatuses = statement<InstanceListed, { status: string; count: number }>(
  'browse_instance_statuses',
  bindWanted,
  counted(below),
  { readOnly: true },
)

export const instanceStatusesAmong = statement<InstancesAmong, { status: string; count: number }>(
  'browse_instance_statuses_among',
  (p) => [...bindWanted(p), p.ids],
  counted(`i.id = any ($19::uuid[]) and ${below}`),
  { readOnly: true },
)

/** One more than a stretch: there are too many of them to be named. In the order of the index, so that nothing else is read. */
export const idsOfCorrelation = statement<{ tenant: string; correlationId: string }, { id: string }>(
  'browse_ids_of_correlation',
  (p) => [p.tenant, p.correlationId],
  `select id from instance where tenant = $1 and correlation_id = $2 limit ${LOOK_AT + 1}`,
  { readOnly: true },
)

export const idsOfParent = statement<{ tenant: string; parentId: string }, { id: string }>(
  'browse_ids_of_parent',
  (p) => [p.tenant, p.parentId],
  `select id from instance where parent_id = $2 and tenant = $1 limit ${LOOK_AT + 1}`,
  { readOnly: true },
)

/** By bytes, as the index is: whatever begins so lies between the text and the text with the last character there is. */
export const idsByCorrelation = statement<{ tenant: string; prefix: string }, { id: string }>(
  'browse_ids_by_correlation',
  (p) => [p.tenant, p.prefix, `${p.prefix}\u{10ffff}`],
  `select id from instance where tenant = $1 and correlation_id ~>=~ $2 and correlation_id ~<=~ $3
    order by correlation_id using ~<~ limit ${LOOK_AT + 1}`,
  { readOnly: true },
)

export const idsBetween = statement<{ tenant: string; first: string; last: string }, { id: string }>(
  'browse_ids_between',
  (p) => [p.tenant, p.first, p.last],
  `select id from instance where id >= $2 and id <= $3 and tenant = $1 order by id limit ${LOOK_AT + 1}`,
  { readOnly: true },
)

/** Whether workflows have such tags, or such a text in their id or name. `whole`: all of them were looked at. */
export const definitionsMeant = statement<
  { tenant: string; tags: readonly string[] | undefined; text: string | undefined },
  { whole: boolean; tagged: boolean; named: boolean }
>(
  'browse_definitions_meant',
  (p) => [p.tenant, p.tags, p.text],
  `select count(*) < ${LOOK_AT} as whole, coalesce(bool_or(d.tags && $2::text[]), false) as tagged,
          coalesce(bool_or(position(lower($3::text) in lower(d.id)) > 0 or position(lower($3::text) in lower(d.name)) > 0), false) as named
     from (select id, name, tags from definition where tenant = $1 order by id limit ${LOOK_AT}) d`,
  { readOnly: true },
)
