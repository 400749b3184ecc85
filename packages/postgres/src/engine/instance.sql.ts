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
}

/** A row is `running` while somebody has it and it is due; the stored status is as of its last rest. */
export const shownStatus = `case when i.finished_at is null and i.status in ('queued', 'suspended') and a.claimed_by is not null and a.due_at <= (select clock_timestamp()) then 'running'
       else i.status end`

export const columns = `
  i.id, i.definition_id, i.version, i.correlation_id, i.parent_id,
  ${shownStatus} as status,
  (select j.data from journal j where j.instance_id = i.id and j.seq = 1) as started,
  (select j.data from journal j where j.instance_id = i.id and j.seq = i.last_seq and i.finished_at is not null) as ended,
  i.created_at, i.finished_at, a.claimed_by, a.due_at,
  (select j.seq from journal j where j.instance_id = i.id order by j.seq desc limit 1) as revision`

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

/** By primary keys. */
export const stampedOne = statement<{ tenant: string; id: string }, ViewRow & { readonly stamp: string }>(
  'instance_stamped_one',
  (p) => [p.tenant, p.id],
  `select ${columns}, ${stamp} as stamp
     from instance i left join agenda a on a.instance_id = i.id where i.id = $2 and i.tenant = $1`,
  { readOnly: true },
)

/** By primary keys. */
export const stamps = statement<{ tenant: string; ids: readonly string[] }, { id: string; stamp: string }>(
  'instance_stamps',
  (p) => [p.tenant, p.ids],
  `select i.id, ${stamp} as stamp
     from instance i left join agenda a on a.instance_id = i.id where i.id = any ($2::uuid[]) and i.tenant = $1`,
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

export const waiting = statement<
  { ids: readonly string[] },
  { instance_id: string; id: string; kind: string; name: string; expires_at: number | null }
>(
  'instance_waiting',
  (p) => [p.ids],
  'select instance_id, id, kind, name, expires_at from bookmark where instance_id = any ($1::uuid[]) order by created_at limit 1000',
  { readOnly: true },
)

export const incidents = statement<
  { ids: readonly string[] },
  { instance_id: string; id: string; code: string; message: string; step: string | null; opened_at: number }
>(
  'instance_incidents',
  (p) => [p.ids],
  `select instance_id, id, code, message, step, opened_at from incident
    where instance_id = any ($1::uuid[]) and resolved_at is null order by opened_at limit 1000`,
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
