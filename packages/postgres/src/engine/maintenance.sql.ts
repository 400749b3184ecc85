import { statement } from '../db/statement.ts'

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

/** Migration 0039. */
export const remove = statement<
  Sweep & { ids: readonly string[] },
  { instances: number; rows: number; incidents: number }
>(
  'maintenance_remove',
  (p) => [p.node, p.ttlMs, p.keep, p.ids, p.rows],
  'select * from lockstep_retention_remove($1, $2, $3, $4, $5)',
)

export const trim = statement<
  { node: string; ttlMs: number; incidentsMs: number; limit: number },
  { events: number; flushes: number; incidents: number }
>('maintenance_trim', (p) => [p.node, p.ttlMs, p.incidentsMs, p.limit], 'select * from lockstep_trim($1, $2, $3, $4)')

/** At most `limit` rows, the oldest first, by index retired_revision_old. One that is retired anew at this moment stays. */
export const trimRevisions = statement<{ limit: number }>(
  'maintenance_trim_revisions',
  (p) => [p.limit],
  `delete from retired_revision r
    using (select x.kind, x.id, x.tenant from retired_revision x
            where x.paused_for is null and x.retired_at <= (select clock_timestamp()) - interval '30 days'
            order by x.retired_at limit $1 for update skip locked) old
    where r.kind = old.kind and r.id = old.id and r.tenant = old.tenant`,
)

export const repair = statement<
  { node: string; code: string; tenants: readonly string[]; keys: readonly string[] },
  { mended: number }
>('maintenance_repair', (p) => [p.node, p.code, p.tenants, p.keys], 'select lockstep_repair($1, $2, $3, $4) as mended')
