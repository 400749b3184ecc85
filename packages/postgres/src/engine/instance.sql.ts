import { statement } from '../db/statement.ts'

export interface ViewRow {
  readonly id: string
  readonly definition_id: string
  readonly version: number
  readonly status: string
  readonly correlation_id: string | null
  readonly parent_id: string | null
  readonly started: { readonly input?: unknown } | null
  readonly ended: { readonly output?: unknown; readonly error?: unknown } | null
  readonly created_at: number
  readonly finished_at: number | null
  readonly claimed_by: string | null
  readonly due_at: number | null
  readonly revision: number
  readonly waiting: readonly WaitingRow[] | null
  readonly incidents: readonly IncidentRow[] | null
}

interface WaitingRow {
  readonly bookmarkId: string
  readonly kind: string
  readonly name: string
  readonly expiresAt: number | null
}

interface IncidentRow {
  readonly id: string
  readonly code: string
  readonly message: string
  readonly step: string | null
  readonly at: number
}

/** A row is `running` while somebody has it and it is due; the stored status is as of its last rest. */
export const shownStatus = `case when i.finished_at is null and i.status in ('queued', 'suspended') and a.claimed_by is not null and a.due_at <= (select clock_timestamp()) then 'running'
       else i.status end`

/** Epoch milliseconds, inside of JSON. */
const instant = (column: string): string => `floor(extract(epoch from ${column}) * 1000)::bigint`

/** Most of what an instance waits for, and of what is wrong with it, that a view shows. */
const MOST_SHOWN = 1000

/** All that a view shows in one statement: each further one is a round trip, and could see another moment. */
export const columns = `
  i.id, i.definition_id, i.version, i.correlation_id, i.parent_id,
  ${shownStatus} as status,
  (select j.data from journal j where j.instance_id = i.id and j.seq = 1) as started,
  (select j.data from journal j where j.instance_id = i.id and j.seq = i.last_seq and i.finished_at is not null) as ended,
  i.created_at, i.finished_at, a.claimed_by, a.due_at,
  (select j.seq from journal j where j.instance_id = i.id order by j.seq desc limit 1) as revision,
  (select json_agg(json_build_object('bookmarkId', b.id, 'kind', b.kind, 'name', b.name, 'expiresAt', ${instant('b.expires_at')}) order by b.created_at)
     from (select * from bookmark x where x.instance_id = i.id order by x.created_at limit ${MOST_SHOWN}) b) as waiting,
  (select json_agg(json_build_object('id', n.id, 'code', n.code, 'message', n.message, 'step', n.step, 'at', ${instant('n.opened_at')}) order by n.opened_at)
     from (select * from incident x where x.instance_id = i.id and x.resolved_at is null order by x.opened_at limit ${MOST_SHOWN}) n) as incidents`

/** By primary keys. */
export const one = statement<{ tenant: string; id: string }, ViewRow>(
  'instance_one',
  (p) => [p.tenant, p.id],
  `select ${columns} from instance i left join agenda a on a.instance_id = i.id where i.id = $2 and i.tenant = $1`,
  { readOnly: true },
)

/**
 * Another text as soon as anything that a view shows is: the versions of both rows, the status as it is shown, the last fact with its
 * position, what it waits for, what is wrong with it. A few look-ups by index each.
 */
const stamp = `concat_ws('.', i.xmin, i.version, ${shownStatus}, coalesce(a.xmin::text, '-'),
  coalesce((select j.seq || ':' || j.pos from journal j where j.instance_id = i.id order by j.seq desc limit 1), '-'),
  coalesce((select encode(sha256(convert_to(string_agg(concat_ws('/', b.id, b.name, b.expires_at), ',' order by b.id), 'UTF8')), 'hex')
              from bookmark b where b.instance_id = i.id), '-'),
  coalesce((select encode(sha256(convert_to(string_agg(n.id::text, ',' order by n.id), 'UTF8')), 'hex')
              from incident n where n.instance_id = i.id and n.resolved_at is null), '-'))`

/**
 * Looked up for each instance, whatever is known of the table: it is nearly empty most of the time, and where it is read as a whole, all that was
 * due in the last minutes is gone through, dead or not.
 */
const itsAgenda =
  'left join lateral (select x.xmin, x.claimed_by, x.due_at from agenda x where x.instance_id = i.id limit 1) a on true'

/** By primary keys. */
export const stamped = statement<{ tenant: string; ids: readonly string[] }, ViewRow & { readonly stamp: string }>(
  'instance_stamped',
  (p) => [p.tenant, p.ids],
  `select ${columns}, ${stamp} as stamp
     from instance i ${itsAgenda} where i.id = any ($2::uuid[]) and i.tenant = $1`,
  { readOnly: true },
)

/** By primary keys. */
export const stamps = statement<{ tenant: string; ids: readonly string[] }, { id: string; stamp: string }>(
  'instance_stamps',
  (p) => [p.tenant, p.ids],
  `select i.id, ${stamp} as stamp
     from instance i ${itsAgenda} where i.id = any ($2::uuid[]) and i.tenant = $1`,
  { readOnly: true },
)

/** Newest first, by primary key from a cursor. Filters are applied on the way, so a rare status reads on: bounded by the limit of rows looked at. */
export const list = statement<
  {
    tenant: string
    before: string | undefined
    definitionId: string | undefined
    status: string | undefined
    limit: number
  },
  ViewRow
>(
  'instance_list',
  (p) => [p.tenant, p.before, p.definitionId, p.status, p.limit],
  `select ${columns}
     from (select * from instance x where x.tenant = $1 and ($2::uuid is null or x.id < $2) order by x.id desc limit 10000) i
     left join agenda a on a.instance_id = i.id
    where ($3::text is null or i.definition_id = $3) and ($4::text is null or i.status = $4)
    order by i.id desc limit $5`,
  { readOnly: true },
)

export const statuses = statement<{ tenant: string; ids: readonly string[] }, { id: string; status: string }>(
  'instance_statuses',
  (p) => [p.tenant, p.ids],
  'select id, status from instance where id = any ($2::uuid[]) and tenant = $1',
  { readOnly: true },
)

export const journal = statement<
  { tenant: string; id: string; after: number; limit: number },
  { seq: number; kind: string; data: unknown; at: number; node_id: string; claim_no: number; pos: string }
>(
  'instance_journal',
  (p) => [p.tenant, p.id, p.after, p.limit],
  `select seq, kind, data, at, node_id, claim_no, pos from journal
    where instance_id = $2 and tenant = $1 and seq > $3 order by seq limit $4`,
  { readOnly: true },
)

export interface OutlineRow {
  readonly seq: number
  readonly kind: string
  readonly at: number
  readonly step: string | null
  readonly outcome: string | null
  readonly outcomes: readonly string[] | null
  readonly error_code: string | null
  readonly error_message: string | null
  readonly error_step: string | null
  readonly node_id: string
  readonly attempt: number | null
  readonly wait_kind: string | null
  readonly wait_name: string | null
  readonly child_id: string | null
  readonly wait_ms: number | null
  readonly wait_until: number | null
  readonly delay_ms: number | null
  readonly status: string | null
  readonly to_seq: number | null
  readonly mapping: Readonly<Record<string, string>> | null
}

/** By primary key. What steps were given and gave stays in the database. */
export const outline = statement<{ tenant: string; id: string; after: number; limit: number }, OutlineRow>(
  'instance_outline',
  (p) => [p.tenant, p.id, p.after, p.limit],
  `select seq, kind, at, data->>'step' as step, data->>'outcome' as outcome, data->'outcomes' as outcomes,
          data#>>'{error,code}' as error_code, data#>>'{error,message}' as error_message, data#>>'{error,step}' as error_step,
          node_id, (data->>'attempt')::integer as attempt, data#>>'{wait,kind}' as wait_kind, data#>>'{wait,name}' as wait_name,
          data#>>'{wait,instanceId}' as child_id, coalesce(data#>>'{wait,ms}', data#>>'{wait,timeoutMs}')::float8 as wait_ms,
          (data#>>'{wait,at}')::float8 as wait_until, (data->>'delayMs')::float8 as delay_ms, data->>'status' as status, (data->>'toSeq')::integer as to_seq,
          data->'mapping' as mapping
     from journal
    where instance_id = $2 and tenant = $1 and seq > $3 order by seq limit $4`,
  { readOnly: true },
)
