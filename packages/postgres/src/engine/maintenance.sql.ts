import type { Area } from '@lockstep/engine/ports'
import { type Statement, statement } from '../db/statement.ts'

interface Turn {
  readonly duty: string
  readonly node: string
}

/** One row, by primary key. A holder that takes its turn again extends it. */
export const takeTurn = statement<Turn & { ttlMs: number; early: boolean }>(
  'maintenance_take_turn',
  (p) => [p.duty, p.node, p.ttlMs, p.early],
  `insert into maintenance_turn as t (duty, holder, expires_at) values ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
   on conflict (duty) do update set holder = excluded.holder, expires_at = excluded.expires_at
    where t.holder = excluded.holder and t.expires_at > clock_timestamp()
       or (t.holder is null or t.expires_at <= clock_timestamp()) and ($4::boolean or t.next_at is null or t.next_at <= clock_timestamp())`,
)

export const endTurn = statement<Turn & { nextInMs: number }>(
  'maintenance_end_turn',
  (p) => [p.duty, p.node, p.nextInMs],
  `update maintenance_turn set holder = null, expires_at = null, next_at = clock_timestamp() + $3 * interval '1 millisecond'
    where duty = $1 and holder = $2`,
)

export interface RuleRow {
  readonly tenant: string
  readonly subject: string
  readonly aspect: string
  readonly keep_ms: number | null
  readonly reason: string | null
  readonly created_at: number
}

export interface RuleKey {
  readonly tenant: string
  readonly subject: string
  readonly aspect: string
}

/** A page by primary key. */
export const rules = statement<{ tenant: string; subject: string; aspect: string; limit: number }, RuleRow>(
  'maintenance_rules',
  (p) => [p.tenant, p.subject, p.aspect, p.limit],
  `select tenant, subject, aspect, keep_ms, reason, created_at from retention_rule
    where tenant = $1 and (subject, aspect) > ($2, $3) order by subject, aspect limit $4`,
  { readOnly: true },
)

/** Waits for a deletion that is under way, and keeps the next one waiting until the rule is there: what is held when this commits stays. */
export const lockTurn = statement<{ duty: string }>(
  'maintenance_lock_turn',
  (p) => [p.duty],
  'insert into maintenance_turn (duty) values ($1) on conflict (duty) do update set duty = excluded.duty',
)

export const saveRule = statement<RuleKey & { keepMs: number | undefined; reason: string | undefined }>(
  'maintenance_save_rule',
  (p) => [p.tenant, p.subject, p.aspect, p.keepMs, p.reason],
  `insert into retention_rule (tenant, subject, aspect, keep_ms, reason) values ($1, $2, $3, $4, $5)
   on conflict (tenant, subject, aspect) do update set keep_ms = excluded.keep_ms, reason = excluded.reason`,
)

export const dropRule = statement<RuleKey>(
  'maintenance_drop_rule',
  (p) => [p.tenant, p.subject, p.aspect],
  'delete from retention_rule where tenant = $1 and subject = $2 and aspect = $3',
)

/** What a rule concerns is looked at again from the beginning. An empty definition means all of the tenant. */
export const recheck = statement<{ tenant: string; definition: string }>(
  'maintenance_recheck',
  (p) => [p.tenant, p.definition],
  `insert into retention_recheck (tenant, definition_id) values ($1, $2)
   on conflict (tenant, definition_id) do update set after_definition = '', after_id = '00000000-0000-0000-0000-000000000000'`,
)

export const recheckOne = statement<{ tenant: string; id: string }>(
  'maintenance_recheck_one',
  (p) => [p.tenant, p.id],
  `update retention_watch w set look_at = least(w.look_at, clock_timestamp()) from instance i
    where i.id = $2 and i.tenant = $1 and w.tenant = i.tenant and w.definition_id = i.definition_id and w.instance_id = i.id`,
)

interface Sweep {
  readonly node: string
  readonly ttlMs: number
  /** JSON text. */
  readonly keep: string
  readonly rows: number
}

/** Migration 0010. No row: the turn is not this node's. */
export const expired = statement<
  Sweep & { limit: number },
  {
    examined: number
    waiting: number
    expired: readonly { tenant: string; instanceId: string; rows: number }[] | null
  }
>(
  'maintenance_expired',
  (p) => [p.node, p.ttlMs, p.keep, p.limit, p.rows],
  'select * from lockstep_retention_expired($1, $2, $3, $4, $5)',
)

export const remove = statement<Sweep & { ids: readonly string[] }, { instances: number; rows: number }>(
  'maintenance_remove',
  (p) => [p.node, p.ttlMs, p.keep, p.ids, p.rows],
  'select * from lockstep_retention_remove($1, $2, $3, $4, $5)',
)

export const trim = statement<
  { node: string; ttlMs: number; incidentsMs: number; limit: number },
  { events: number; flushes: number; incidents: number }
>('maintenance_trim', (p) => [p.node, p.ttlMs, p.incidentsMs, p.limit], 'select * from lockstep_trim($1, $2, $3, $4)')

export const repair = statement<
  { node: string; code: string; tenants: readonly string[]; keys: readonly string[] },
  { mended: number }
>('maintenance_repair', (p) => [p.node, p.code, p.tenants, p.keys], 'select lockstep_repair($1, $2, $3, $4) as mended')

export interface ExaminedRow {
  readonly looked: number
  readonly last: string | null
  readonly broken:
    | readonly { code: string; tenant: string; key: string; instanceId: string | null; detail: string }[]
    | null
}

/** A page of `source` with what is wrong with its rows; at most 1,000 of these. `last` is where the page ended. */
const examine = (
  area: Area,
  page: string,
  broken: string,
): Statement<{ after: string | undefined; limit: number }, ExaminedRow> =>
  statement(
    `maintenance_examine_${area}`,
    (p) => [p.after, p.limit],
    `with page as materialized (${page}), broken as (${broken})
     select (select count(*)::integer from page) as looked, (select p.cursor from page p order by p.place desc limit 1) as last,
            (select json_agg(json_build_object('code', b.code, 'tenant', b.tenant, 'key', b.key, 'instanceId', b.instance_id, 'detail', b.detail))
               from (select * from broken limit 1000) b) as broken`,
    { readOnly: true },
  )

/** By primary key, the last 1,000 facts of each. */
export const examineInstances = examine(
  'instances',
  `select i.*, i.id::text as cursor, row_number() over (order by i.id) as place
     from (select * from instance x where $1::text is null or x.id > $1::uuid order by x.id limit $2) i`,
  `select c.code, p.tenant, p.id::text as key, p.id as instance_id, c.detail
     from page p
    cross join lateral (
      select count(*)::integer as facts, min(t.seq) as first, max(t.seq) as last
        from (select j.seq from journal j where j.instance_id = p.id order by j.seq desc limit 1000) t) j
    cross join lateral (values
      ('STRANDED', p.finished_at is null and p.status not in ('quarantined', 'paused')
         and not exists (select 1 from agenda a where a.instance_id = p.id)
         and not exists (select 1 from bookmark b where b.instance_id = p.id)
         and not exists (select 1 from instance k where k.parent_id = p.id and k.parent_step is not null and k.finished_at is null),
       p.status || ', nothing to do and nothing to wait for'),
      ('JOURNAL_GAP', j.facts = 0 or j.last - j.first + 1 <> j.facts or (j.facts < 1000 and j.first <> 1) or (p.finished_at is not null and j.last <> p.last_seq),
       j.facts || ' facts from ' || coalesce(j.first, 0) || ' to ' || coalesce(j.last, 0) || ', the instance says ' || p.last_seq)
    ) as c(code, is_so, detail)
    where c.is_so`,
)

/** By primary key. */
export const examineAgenda = examine(
  'agenda',
  `select a.*, a.instance_id::text as cursor, row_number() over (order by a.instance_id) as place
     from (select * from agenda x where $1::text is null or x.instance_id > $1::uuid order by x.instance_id limit $2) a`,
  `select c.code, p.tenant, p.instance_id::text as key, p.instance_id, c.detail
     from page p
     left join lateral (select x.id, x.status, x.finished_at from instance x where x.id = p.instance_id offset 0) i on true
     left join lateral (select x.id from node x where x.id = p.claimed_by offset 0) n on true
    cross join lateral (values
      ('AGENDA_WITHOUT_INSTANCE', i.id is null, 'on the agenda of queue ' || p.queue),
      ('AGENDA_OF_FINISHED', i.finished_at is not null, coalesce(i.status, '') || case when n.id is null then '' else ', held by a living node' end),
      ('CLAIM_OF_DEAD_NODE', p.claimed_by is not null and n.id is null, 'claim ' || p.claim_no || ' of node ' || coalesce(p.claimed_by::text, ''))
    ) as c(code, is_so, detail)
    where c.is_so`,
)

/** By primary key. */
export const examineBookmarks = examine(
  'bookmarks',
  `select b.*, b.id::text as cursor, row_number() over (order by b.id) as place
     from (select * from bookmark x where $1::text is null or x.id > $1::uuid order by x.id limit $2) b`,
  `select case when i.id is null then 'BOOKMARK_WITHOUT_INSTANCE' else 'BOOKMARK_OF_FINISHED' end as code, p.tenant, p.id::text as key, p.instance_id,
          p.kind || ' "' || p.name || '"' as detail
     from page p left join lateral (select x.id, x.finished_at from instance x where x.id = p.instance_id offset 0) i on true
    where i.id is null or i.finished_at is not null`,
)

/** By primary key. */
export const examineInbox = examine(
  'inbox',
  `select m.*, m.instance_id || '/' || m.id as cursor, row_number() over (order by m.instance_id, m.id) as place
     from (select x.instance_id, x.id, x.tenant, x.kind from inbox x
            where $1::text is null or (x.instance_id, x.id) > (split_part($1, '/', 1)::uuid, split_part($1, '/', 2)::bigint)
            order by x.instance_id, x.id limit $2) m`,
  `select c.code, p.tenant, p.instance_id || '/' || p.id as key, p.instance_id, p.kind as detail
     from page p
     left join lateral (select x.id, x.finished_at from instance x where x.id = p.instance_id offset 0) i on true
     left join lateral (select x.stim from agenda x where x.instance_id = p.instance_id offset 0) a on true
    cross join lateral (values
      ('INBOX_WITHOUT_INSTANCE', i.id is null), ('INBOX_OF_FINISHED', i.finished_at is not null),
      ('MESSAGE_NOT_COUNTED', i.id is not null and i.finished_at is null and coalesce(a.stim, 0) = 0)
    ) as c(code, is_so)
    where c.is_so`,
)

/** By primary key. A trigger that may have run out, or hears of other runs, needs no next time. */
export const examineSchedules = examine(
  'schedules',
  `select s.*, s.id || E'\\x01' || s.tenant as cursor, row_number() over (order by s.id, s.tenant) as place
     from (select x.id, x.tenant, x.paused, x.due_at, x.wake_at, x.after_jobs, x.document from schedule x
            where $1::text is null or (x.id, x.tenant) > (split_part($1, E'\\x01', 1), split_part($1, E'\\x01', 2))
            order by x.id, x.tenant limit $2) s`,
  `select case when p.due_at is null then 'SCHEDULE_WITHOUT_NEXT' else 'SCHEDULE_ASLEEP' end as code, p.tenant, p.id as key, null::uuid as instance_id,
          case when p.due_at is null then 'no next time' else 'next at ' || p.due_at || ', and nobody is told' end as detail
     from page p
    where not p.paused and p.wake_at is null
      and (p.due_at is not null
           or p.after_jobs is null and p.document ->> 'endAt' is null
              and (p.document #> '{trigger,cron}' is not null or p.document #> '{trigger,interval}' is not null))`,
)

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
              select 1 from agenda x where x.queue = a.queue and (x.claim_no = 0) = (a.claim_no = 0) and x.claimed_by is null and x.due_at < a.due_at limit $3 + 1) t)
            + case when a.claim_no = 0 then (select count(*)::integer from (
              select 1 from agenda x where x.queue = a.queue and (x.claim_no = 0) = false and x.claimed_by is null and x.due_at <= (select clock_timestamp()) limit $3 + 1) t) else 0 end
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

export const standingNodes = statement<{ most: number }, { id: string; name: string; silent: number }>(
  'maintenance_standing_nodes',
  (p) => [p.most],
  `select id, name, extract(epoch from clock_timestamp() - beat_at)::float8 * 1000 as silent from node where not doomed order by beat_at desc limit $1`,
  { readOnly: true },
)
