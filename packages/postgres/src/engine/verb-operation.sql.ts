import { statement } from '../db/statement.ts'

interface Key {
  readonly tenant: string
  readonly id: string
}

/** With it go operations that were over a month ago: a few at a time. */
export const create = statement<
  Key & { verb: string; options: string; filter: string; most: number; note: string | undefined }
>(
  'operation_create',
  (p) => [p.tenant, p.id, p.verb, p.options, p.filter, p.most, p.note],
  `insert into bulk_operation (tenant, id, verb, options, filter, most, note, state) values ($1, $2, $3, $4, $5, $6, $7, 'freezing')
   on conflict (tenant, id) do nothing`,
)

export const forgetItems = statement<{ tenant: string }>(
  'operation_forget_items',
  (p) => [p.tenant],
  `delete from bulk_item b using (
     select o.tenant, o.id from bulk_operation o where o.tenant = $1 and o.finished_at < clock_timestamp() - interval '30 days' order by o.id limit 1) old
    where b.tenant = old.tenant and b.operation_id = old.id`,
)

export const forget = statement<{ tenant: string }>(
  'operation_forget',
  (p) => [p.tenant],
  `delete from bulk_operation o where o.tenant = $1 and o.finished_at < clock_timestamp() - interval '30 days'
      and not exists (select 1 from bulk_item b where b.tenant = o.tenant and b.operation_id = o.id)`,
)

export interface OperationRow {
  readonly id: string
  readonly verb: string
  readonly options: unknown
  readonly filter: unknown
  readonly most: number
  readonly note: string | null
  readonly state: string
  readonly created_at: number
  readonly finished_at: number | null
  readonly total: number
  readonly cut: boolean
  readonly outcomes: Readonly<Record<string, number>> | null
}

const columns = `
  o.id, o.verb, o.options, o.filter, o.most, o.note,
  case when o.paused_at is not null and o.finished_at is null then 'paused' else o.state end as state, o.created_at, o.finished_at, o.total, o.cut,
  (select json_object_agg(c.outcome, c.count) from (
     select b.outcome, count(*)::integer as count from bulk_item b
      where b.tenant = o.tenant and b.operation_id = o.id and b.outcome is not null group by b.outcome) c) as outcomes`

export const one = statement<Key, OperationRow>(
  'operation_one',
  (p) => [p.tenant, p.id],
  `select ${columns} from bulk_operation o where o.tenant = $1 and o.id = $2`,
  { readOnly: true },
)

export const list = statement<{ tenant: string; before: string | undefined; limit: number }, OperationRow>(
  'operation_list',
  (p) => [p.tenant, p.before, p.limit],
  `select ${columns} from bulk_operation o where o.tenant = $1 and ($2::uuid is null or o.id < $2) order by o.id desc limit $3`,
  { readOnly: true },
)

export const pause = statement<Key>(
  'operation_pause',
  (p) => [p.tenant, p.id],
  `update bulk_operation set paused_at = coalesce(paused_at, clock_timestamp()) where tenant = $1 and id = $2 and finished_at is null`,
)

export const unpause = statement<Key>(
  'operation_unpause',
  (p) => [p.tenant, p.id],
  `update bulk_operation set paused_at = null where tenant = $1 and id = $2 and finished_at is null`,
)

export const cancel = statement<Key>(
  'operation_cancel',
  (p) => [p.tenant, p.id],
  `update bulk_operation set state = 'cancelled', finished_at = clock_timestamp() where tenant = $1 and id = $2 and finished_at is null`,
)

/** By primary key. */
export const items = statement<
  Key & { after: string | undefined; outcome: string | undefined; limit: number },
  { instance_id: string; outcome: string | null; detail: string | null }
>(
  'operation_items',
  (p) => [p.tenant, p.id, p.after, p.outcome, p.limit],
  `select instance_id, outcome, detail from bulk_item
    where tenant = $1 and operation_id = $2 and ($3::uuid is null or instance_id > $3) and ($4::text is null or outcome = $4)
    order by instance_id limit $5`,
  { readOnly: true },
)

/** By the index of open ones. */
export const next = statement<undefined, { tenant: string; id: string; verb: string; options: unknown; state: string }>(
  'operation_next',
  () => [],
  `select tenant, id, verb, options, state from bulk_operation
    where finished_at is null and paused_at is null order by created_at limit 1`,
  { readOnly: true },
)

/** Migration 0012. */
export const freeze = statement<Key & { lookAt: number }>(
  'operation_freeze',
  (p) => [p.tenant, p.id, p.lookAt],
  'select lockstep_bulk_freeze($1, $2, $3)',
)

/** By the index of open items. */
export const pending = statement<Key & { limit: number }, { instance_id: string }>(
  'operation_pending',
  (p) => [p.tenant, p.id, p.limit],
  `select b.instance_id from bulk_item b
    where b.tenant = $1 and b.operation_id = $2 and b.outcome is null
      and exists (select 1 from bulk_operation o where o.tenant = $1 and o.id = $2 and o.state = 'applying' and o.paused_at is null)
    order by b.instance_id limit $3`,
  { readOnly: true },
)

export const finish = statement<Key>(
  'operation_finish',
  (p) => [p.tenant, p.id],
  `update bulk_operation o set state = 'done', finished_at = clock_timestamp()
    where o.tenant = $1 and o.id = $2 and o.state = 'applying' and o.paused_at is null
      and not exists (select 1 from bulk_item b where b.tenant = $1 and b.operation_id = $2 and b.outcome is null)`,
)

export const settle = statement<
  Key & { ids: readonly string[]; outcomes: readonly string[]; details: readonly (string | undefined)[] }
>(
  'operation_settle',
  (p) => [p.tenant, p.id, p.ids, p.outcomes, p.details],
  `update bulk_item b set outcome = u.outcome, detail = u.detail
     from unnest($3::uuid[], $4::text[], $5::text[]) as u(id, outcome, detail)
    where b.tenant = $1 and b.operation_id = $2 and b.instance_id = u.id and b.outcome is null`,
)

/**
 * By primary key, newest first. `meant`: statuses that the verb can do anything with. Those that would be listed are placed as the freeze lists
 * them, the oldest first, ids of nobody among them; each has a reason to be left as it is, or none.
 */
export const preview = statement<
  {
    tenant: string
    filter: string
    lookAt: number
    sample: number
    ids: readonly string[] | undefined
    exclude: readonly string[]
    meant: readonly string[]
    listed: readonly string[] | undefined
    most: number | undefined
    deletes: boolean
    toVersion: number | undefined
  },
  {
    count: number
    looked: number
    sample: readonly string[] | null
    skipped: Readonly<Record<string, number>> | null
    definitions: readonly string[] | null
  }
>(
  'operation_preview',
  (p) => [
    ...[p.tenant, p.filter, p.lookAt, p.sample, p.ids, p.exclude, p.meant],
    ...[p.listed, p.most, p.deletes, p.toVersion],
  ],
  `with page as materialized (
     (select i as line, i.id from instance i
       where $5::uuid[] is null and $2::json ->> 'correlationId' is null and i.tenant = $1 order by i.id desc limit $3)
     union all
     (select i, i.id from instance i
       where $5::uuid[] is null and i.tenant = $1 and i.correlation_id = $2::json ->> 'correlationId' order by i.id desc limit $3)
     union all
     (select i, i.id from instance i where i.tenant = $1 and i.id = any ($5::uuid[]) limit $3)),
   fit as materialized (
     select page.id, page.line, lockstep_shown_status(page.line) as status from page
      where page.id not in (select x from unnest($6::uuid[]) as t(x)) and lockstep_bulk_fits(page.line, $2::json)
     union all
     select k.id, null, 'not-found' from unnest($5::uuid[]) as k(id) where not exists (select 1 from page where page.id = k.id)),
   listed as materialized (
     select fit.id, row_number() over (order by fit.id) as place from fit
      where $8::text[] is null or fit.status = 'not-found' or fit.status = any ($8::text[])),
   judged as materialized (
     select fit.id, (fit.line).definition_id,
            case when listed.place > $9::integer then 'limit'
                 when listed.id is null or fit.status <> all ($7::text[]) then fit.status
                 when (fit.line).version = $11::integer then 'same-version'
                 when $10::boolean then (select case o.outcome when 'wrong-state' then o.detail else o.outcome end from lockstep_delete_obstacle(fit.line) o)
            end as reason
       from fit left join listed on listed.id = fit.id)
   select (select count(*)::integer from judged where reason is null) as count, (select count(*)::integer from page) as looked,
          (select json_agg(s.id order by s.id desc) from (select j.id from judged j where j.reason is null order by j.id desc limit $4) s) as sample,
          (select json_object_agg(k.reason, k.count) from (
             select j.reason, count(*)::integer as count from judged j where j.reason is not null group by j.reason) k) as skipped,
          (select json_agg(distinct j.definition_id) from judged j where j.reason is null) as definitions`,
  { readOnly: true },
)
