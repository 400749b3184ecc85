import { statement } from '../db/statement.ts'

export interface LineColumns {
  readonly tenants: readonly string[]
  readonly kinds: readonly string[]
  readonly keys: readonly string[]
  readonly instances: readonly string[]
  readonly steps: readonly string[]
}

/** Gives permits back and asks for more, key by key (migration 0015). */
export const exchange = statement<
  {
    node: string | undefined
    patienceMs: number
    ends: LineColumns & { readonly back: readonly boolean[] }
    asks: LineColumns & {
      readonly concurrency: readonly (number | undefined)[]
      readonly rateLimit: readonly (number | undefined)[]
      readonly rateMs: readonly (number | undefined)[]
    }
  },
  {
    granted: readonly boolean[]
    ahead: readonly string[]
    waited_ms: readonly number[]
    waits_ms: readonly (number | null)[]
    called: readonly string[]
  }
>(
  'limit_exchange',
  ({ node, patienceMs, ends: g, asks: a }) => [
    ...[node, patienceMs, g.tenants, g.kinds, g.keys, g.instances, g.steps, g.back],
    ...[a.tenants, a.kinds, a.keys, a.instances, a.steps, a.concurrency, a.rateLimit, a.rateMs],
  ],
  'select * from lockstep_step_permits($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)',
)

/** From the partial index of the lines. */
export const waitedFor = statement<{ limit: number }, { tenant: string; kind: 'limit' | 'lock'; key: string }>(
  'limit_waited_for',
  (p) => [p.limit],
  `select distinct tenant, kind, key from step_permit where node_id is null and kind <> 'breaker' limit $1`,
  { readOnly: true },
)

/** By primary key, in the caller's order. The moment since when it waits stays, unless that wait was over. */
export const noteBreakers = statement<Omit<LineColumns, 'kinds'> & { readonly inMs: readonly number[] }>(
  'limit_note_breakers',
  (p) => [p.tenants, p.keys, p.instances, p.steps, p.inMs],
  `insert into step_permit as p (tenant, kind, key, instance_id, step, ticket, asked_at, until_at)
   select w.tenant, 'breaker', w.key, w.instance_id, w.step, 0, clock_timestamp(), clock_timestamp() + w.in_ms * interval '1 millisecond'
     from unnest($1::text[], $2::text[], $3::uuid[], $4::text[], $5::float8[]) as w(tenant, key, instance_id, step, in_ms)
   on conflict (tenant, kind, key, instance_id, step) do update
      set until_at = excluded.until_at,
          asked_at = case when p.until_at < clock_timestamp() - interval '10 seconds' then excluded.asked_at else p.asked_at end`,
)

export interface WaitRow {
  readonly kind: 'limit' | 'lock' | 'breaker'
  readonly key: string
  readonly step: string
  readonly since: number
  readonly until_at: number | null
  readonly ahead: string
  readonly holders: readonly { readonly instanceId: string; readonly step: string }[] | null
}

/**
 * By the index on the instance; of each line its first place and three of those who are in. Where only a rate is in the way, the moment at
 * which it lets this place in, as `lockstep_step_permits` tells it to those who ask. A breaker that was closed before its time is in nobody's way.
 */
export const waits = statement<{ tenant: string; id: string; most: number }, WaitRow>(
  'limit_waits',
  (p) => [p.tenant, p.id, p.most],
  `select w.kind, w.key, w.step, extract(epoch from w.asked_at)::float8 * 1000 as since,
          extract(epoch from coalesce(w.until_at, case when l.at is not null then greatest(l.at, clock_timestamp()) end))::float8 * 1000 as until_at, w.ahead,
          (select json_agg(json_build_object('instanceId', h.instance_id, 'step', h.step))
             from (select x.instance_id, x.step from step_permit x
                    where x.tenant = w.tenant and x.kind = w.kind and x.key = w.key and x.node_id is not null limit 3) h) as holders
     from (select p.*, p.ticket - coalesce((select f.ticket from step_permit f
                                             where f.tenant = p.tenant and f.kind = p.kind and f.key = p.key and f.node_id is null order by f.ticket limit 1), p.ticket) as ahead
             from step_permit p where p.instance_id = $2 and p.tenant = $1 and p.node_id is null
              and (p.until_at is null or p.until_at > clock_timestamp() - interval '5 seconds')
              and (p.kind <> 'breaker' or not exists (select 1 from step_breaker b where b.tenant = p.tenant and b.key = p.key and b.state = 'closed'))
            order by p.asked_at limit $3) w
     left join lateral (
       select r.at + (1 + w.ahead / s.rate_limit) * s.rate_ms * interval '1 millisecond' as at
         from (select x.grants, case when x.set_at is null then x.concurrency else x.set_concurrency end as concurrency,
                      case when x.set_at is null then x.rate_limit else x.set_rate_limit end as rate_limit,
                      case when x.set_at is null then x.rate_ms else x.set_rate_ms end as rate_ms
                 from step_limit x where x.tenant = w.tenant and x.kind = w.kind and x.key = w.key) s
         join step_rate r on r.tenant = w.tenant and r.kind = w.kind and r.key = w.key and r.n = s.grants - s.rate_limit + 1 + w.ahead % s.rate_limit
        where s.concurrency is null and s.rate_limit is not null) l on true
    order by w.asked_at`,
  { readOnly: true },
)

/** One row, by primary key. */
export const set = statement<{
  tenant: string
  key: string
  concurrency: number | undefined
  rateLimit: number | undefined
  rateMs: number | undefined
}>(
  'limit_set',
  (p) => [p.tenant, p.key, p.concurrency, p.rateLimit, p.rateMs],
  `insert into step_limit as s (tenant, kind, key, set_at, set_concurrency, set_rate_limit, set_rate_ms)
   values ($1, 'limit', $2, clock_timestamp(), $3, $4, $5)
   on conflict (tenant, kind, key) do update
      set set_at = excluded.set_at, set_concurrency = excluded.set_concurrency, set_rate_limit = excluded.set_rate_limit, set_rate_ms = excluded.set_rate_ms`,
)

export const unset = statement<{ tenant: string; key: string }>(
  'limit_unset',
  (p) => [p.tenant, p.key],
  `update step_limit set set_at = null, set_concurrency = null, set_rate_limit = null, set_rate_ms = null
    where tenant = $1 and kind = 'limit' and key = $2`,
)

export interface LimitRow {
  readonly tenant: string
  readonly key: string
  readonly concurrency: number | null
  readonly rate_limit: number | null
  readonly rate_ms: string | null
  readonly set_at: number | null
  readonly set_concurrency: number | null
  readonly set_rate_limit: number | null
  readonly set_rate_ms: string | null
  readonly running: string
  readonly waiting: string
}

/** By primary key, in its order. The counts come from the partial indexes. */
export const list = statement<{ tenant: string; after: string; limit: number }, LimitRow>(
  'limit_list',
  (p) => [p.tenant, p.after, p.limit],
  `select s.tenant, s.key, s.concurrency, s.rate_limit, s.rate_ms, extract(epoch from s.set_at)::float8 * 1000 as set_at, s.set_concurrency, s.set_rate_limit, s.set_rate_ms,
          (select count(*) from step_permit p where p.tenant = s.tenant and p.kind = s.kind and p.key = s.key and p.node_id is not null) as running,
          (select count(*) from step_permit p where p.tenant = s.tenant and p.kind = s.kind and p.key = s.key and p.node_id is null) as waiting
     from step_limit s where s.tenant = $1 and s.kind = 'limit' and s.key > $2 order by s.key limit $3`,
  { readOnly: true },
)

export const get = statement<{ tenant: string; key: string }, LimitRow>(
  'limit_get',
  (p) => [p.tenant, p.key],
  `select s.tenant, s.key, s.concurrency, s.rate_limit, s.rate_ms, extract(epoch from s.set_at)::float8 * 1000 as set_at, s.set_concurrency, s.set_rate_limit, s.set_rate_ms,
          (select count(*) from step_permit p where p.tenant = s.tenant and p.kind = s.kind and p.key = s.key and p.node_id is not null) as running,
          (select count(*) from step_permit p where p.tenant = s.tenant and p.kind = s.kind and p.key = s.key and p.node_id is null) as waiting
     from step_limit s where s.tenant = $1 and s.kind = 'limit' and s.key = $2`,
  { readOnly: true },
)

/** Places of instances that have ended, and waits that are over. Nobody who runs is touched. */
export const trimWaits = statement<{ limit: number }>(
  'limit_trim_waits',
  (p) => [p.limit],
  `delete from step_permit p using (
     select w.tenant, w.kind, w.key, w.instance_id, w.step from step_permit w
      where w.node_id is null and w.asked_at < clock_timestamp() - interval '1 minute'
        and (w.until_at < clock_timestamp() - interval '1 minute'
             or not exists (select 1 from agenda a where a.instance_id = w.instance_id)) limit $1 for update skip locked) o
    where p.tenant = o.tenant and p.kind = o.kind and p.key = o.key and p.instance_id = o.instance_id and p.step = o.step and p.node_id is null`,
)

export const trimProgress = statement<{ limit: number }>(
  'limit_trim_progress',
  (p) => [p.limit],
  `delete from step_progress p using (
     select w.tenant, w.instance_id, w.step from step_progress w
      where w.at < clock_timestamp() - interval '1 minute'
        and not exists (select 1 from instance i where i.id = w.instance_id and i.finished_at is null) limit $1 for update skip locked) o
    where p.tenant = o.tenant and p.instance_id = o.instance_id and p.step = o.step`,
)

/** A key comes back with its next use; only the order of those who wait depends on its row, and here nobody does. */
export const trimKeys = statement<{ unusedMs: number; limit: number }>(
  'limit_trim_keys',
  (p) => [p.unusedMs, p.limit],
  `with old as (
     select s.tenant, s.kind, s.key from step_limit s
      where s.set_at is null and s.used_at < clock_timestamp() - $1::float8 * interval '1 millisecond'
        and not exists (select 1 from step_permit p where p.tenant = s.tenant and p.kind = s.kind and p.key = s.key) limit $2 for update skip locked),
   rates as (delete from step_rate r using old o where r.tenant = o.tenant and r.kind = o.kind and r.key = o.key)
   delete from step_limit s using old o where s.tenant = o.tenant and s.kind = o.kind and s.key = o.key`,
)

export const trimBreakers = statement<{ unusedMs: number; limit: number }>(
  'limit_trim_breakers',
  (p) => [p.unusedMs, p.limit],
  `delete from step_breaker b using (
     select x.tenant, x.key from step_breaker x
      where x.state = 'closed' and x.changed_at < clock_timestamp() - $1::float8 * interval '1 millisecond' limit $2 for update skip locked) o
    where b.tenant = o.tenant and b.key = o.key`,
)
