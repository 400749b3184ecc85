import { statement } from '../db/statement.ts'

export interface StandingRow {
  readonly now: number
  readonly definition_id: string
  readonly version: number
  readonly status: string
  readonly queue: string
  readonly parent_id: string | null
  readonly created_at: number
  readonly finished_at: number | null
  readonly last_seq: number | null
  readonly due_at: number | null
  readonly claim_no: number | null
  readonly crashes: number | null
  readonly stim: number | null
  readonly claimed_by: string | null
  readonly owner_name: string | null
  readonly owner_silent: number | null
  readonly owner_doomed: boolean | null
  readonly ahead: number | null
  readonly messages: number
}

/** Where an instance stands. By primary keys; what is ahead of it by the index of the claim, at most `most` entries. */
export const standing = statement<{ tenant: string; id: string; most: number }, StandingRow>(
  'maintenance_standing',
  (p) => [p.tenant, p.id, p.most],
  `select clock_timestamp() as now, i.definition_id, i.version, i.queue, i.parent_id, i.created_at, i.finished_at,
          case when i.finished_at is null and i.status in ('queued', 'suspended') and a.claimed_by is not null and a.due_at <= (select clock_timestamp()) then 'running'
               else i.status end as status,
          (select j.seq from journal j where j.instance_id = i.id order by j.seq desc limit 1) as last_seq,
          a.due_at, a.claim_no, a.crashes, a.stim, a.claimed_by, n.name as owner_name,
          extract(epoch from clock_timestamp() - n.beat_at)::float8 * 1000 as owner_silent, n.doomed as owner_doomed,
          case when a.claimed_by is null and a.due_at <= (select clock_timestamp()) then
            (select count(*)::integer from (
              select 1 from agenda x where x.queue = a.queue and x.claim_no > 0 and x.claimed_by is null
                 and x.due_at < case when a.claim_no > 0 then a.due_at else (select clock_timestamp()) end limit $3 + 1) t)
            + case when a.claim_no = 0 then (select count(*)::integer from (
              select 1 from agenda x where x.queue = a.queue and x.claim_no = 0 and x.tenant = a.tenant and x.claimed_by is null and x.due_at < a.due_at limit $3 + 1) t) else 0 end
          end as ahead,
          (select count(*)::integer from (select 1 from inbox m where m.instance_id = i.id limit $3 + 1) m) as messages
     from instance i
     left join lateral (select x.* from agenda x where x.instance_id = i.id offset 0) a on true
     left join lateral (select x.* from node x where x.id = a.claimed_by offset 0) n on true
    where i.id = $2 and i.tenant = $1`,
  { readOnly: true },
)

export const standingBookmarks = statement<
  { id: string; most: number },
  {
    id: string
    step: string
    kind: string
    name: string
    correlation_id: string | null
    expires_at: number | null
    created_at: number
  }
>(
  'maintenance_standing_bookmarks',
  (p) => [p.id, p.most],
  'select id, step, kind, name, correlation_id, expires_at, created_at from bookmark where instance_id = $1 order by created_at limit $2',
  { readOnly: true },
)

export const standingChildren = statement<
  { id: string; most: number },
  { id: string; definition_id: string; parent_step: string; status: string; created_at: number }
>(
  'maintenance_standing_children',
  (p) => [p.id, p.most],
  `select id, definition_id, parent_step, status, created_at from instance
    where parent_id = $1 and parent_step is not null and finished_at is null order by id limit $2`,
  { readOnly: true },
)

export const standingIncidents = statement<
  { id: string; most: number },
  { id: string; code: string; message: string; step: string | null; opened_at: number }
>(
  'maintenance_standing_incidents',
  (p) => [p.id, p.most],
  'select id, code, message, step, opened_at from incident where instance_id = $1 and resolved_at is null order by opened_at limit $2',
  { readOnly: true },
)

export interface StandingNodeRow {
  readonly id: string
  readonly name: string
  readonly silent: number
  readonly roles: readonly string[]
  readonly wanted: string
}

export const standingNodes = statement<{ most: number }, StandingNodeRow>(
  'maintenance_standing_nodes',
  (p) => [p.most],
  `select id, name, extract(epoch from clock_timestamp() - beat_at)::float8 * 1000 as silent, roles, wanted
     from node where not doomed order by beat_at desc limit $1`,
  { readOnly: true },
)
