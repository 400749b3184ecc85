import { statement } from '../db/statement.ts'

export interface BreakerRow {
  readonly tenant: string
  readonly key: string
  readonly state: 'closed' | 'open' | 'half-open'
  readonly generation: string
  readonly open_for: number | null
  readonly opened_at: number | null
  readonly reason: string | null
  readonly probe_for: number | null
  readonly probe_node: string | null
  readonly changed_at: number
}

/** By primary key, one probe each. */
export const read = statement<{ tenants: readonly string[]; keys: readonly string[] }, BreakerRow>(
  'breaker_read',
  (p) => [p.tenants, p.keys],
  `select b.tenant, b.key, b.state, b.generation, extract(epoch from b.open_until - clock_timestamp())::float8 * 1000 as open_for,
          extract(epoch from b.opened_at)::float8 * 1000 as opened_at, b.reason, extract(epoch from b.probe_until - clock_timestamp())::float8 * 1000 as probe_for,
          b.probe_node, extract(epoch from b.changed_at)::float8 * 1000 as changed_at
     from unnest($1::text[], $2::text[]) as w(tenant, key)
    cross join lateral (select x.* from step_breaker x where x.tenant = w.tenant and x.key = w.key offset 0) b`,
  { readOnly: true },
)

export const list = statement<{ tenant: string; after: string; limit: number }, BreakerRow>(
  'breaker_list',
  (p) => [p.tenant, p.after, p.limit],
  `select b.tenant, b.key, b.state, b.generation, extract(epoch from b.open_until - clock_timestamp())::float8 * 1000 as open_for,
          extract(epoch from b.opened_at)::float8 * 1000 as opened_at, b.reason, extract(epoch from b.probe_until - clock_timestamp())::float8 * 1000 as probe_for,
          b.probe_node, extract(epoch from b.changed_at)::float8 * 1000 as changed_at
     from step_breaker b where b.tenant = $1 and b.key > $2 order by b.key limit $3`,
  { readOnly: true },
)

/** By primary key. JSON text, newest first (migration 0044). */
export const changes = statement<
  { tenants: readonly string[]; keys: readonly string[] },
  { tenant: string; key: string; history: string }
>(
  'breaker_changes',
  (p) => [p.tenants, p.keys],
  `select b.tenant, b.key, b.history::text as history
     from unnest($1::text[], $2::text[]) as w(tenant, key)
    cross join lateral (select x.tenant, x.key, x.history from step_breaker x where x.tenant = w.tenant and x.key = w.key offset 0) b`,
  { readOnly: true },
)

/** Each line by its partial index, up to the limit. One that was closed before its time lets all through: what was noted of them is left behind. */
export const waiting = statement<
  { tenants: readonly string[]; keys: readonly string[]; most: number },
  { tenant: string; key: string; instance_id: string; step: string }
>(
  'breaker_waiting',
  (p) => [p.tenants, p.keys, p.most],
  `select w.tenant, w.key, w.instance_id, w.step
     from unnest($1::text[], $2::text[]) as n(tenant, key)
    cross join lateral (
      select p.tenant, p.key, p.instance_id, p.step from step_permit p
       where p.tenant = n.tenant and p.kind = 'breaker' and p.key = n.key and p.node_id is null and p.until_at > clock_timestamp() limit $3) w
    where not exists (select 1 from step_breaker b where b.tenant = n.tenant and b.key = n.key and b.state = 'closed')`,
  { readOnly: true },
)

/**
 * Opens one that is closed and has not changed since it was looked at; without a generation, whatever it is. One row, by primary key.
 * `said` not from `excluded`: the trigger on the row to be inserted has taken it there.
 */
export const trip = statement<{
  tenant: string
  key: string
  openMs: number
  needed: number
  reason: string
  generation: number | undefined
  note: string
}>(
  'breaker_trip',
  (p) => [p.tenant, p.key, p.openMs, p.needed, p.reason, p.generation, p.note],
  `insert into step_breaker as b (tenant, key, state, open_ms, needed, reason, opened_at, open_until, said)
   select $1, $2, 'open', $3, $4, $5, clock_timestamp(), clock_timestamp() + $3::bigint * interval '1 millisecond', $7::jsonb
    where $6::bigint is null or $6 = 0 or exists (select 1 from step_breaker x where x.tenant = $1 and x.key = $2)
   on conflict (tenant, key) do update
      set state = 'open', generation = b.generation + 1, open_ms = excluded.open_ms, needed = excluded.needed, passed = 0, reason = excluded.reason,
          opened_at = excluded.opened_at, open_until = excluded.open_until, probe_node = null, probe_until = null, changed_at = clock_timestamp(),
          said = $7::jsonb
    where $6::bigint is null or (b.state = 'closed' and b.generation = $6)`,
)

/** One row, by primary key; the generation is the fence of the probe. */
export const probe = statement<{ tenant: string; key: string; node: string; probeMs: number }, { generation: string }>(
  'breaker_probe',
  (p) => [p.tenant, p.key, p.node, p.probeMs],
  `update step_breaker b set state = 'half-open', generation = b.generation + 1, probe_node = $3::uuid, changed_at = clock_timestamp(),
          said = jsonb_build_object('node', $3::uuid),
          probe_until = clock_timestamp() + $4::float8 * interval '1 millisecond'
    where b.tenant = $1 and b.key = $2 and b.state <> 'closed' and b.open_until <= clock_timestamp()
      and (b.probe_node is null or b.probe_until <= clock_timestamp())
   returning b.generation`,
)

interface Settled {
  readonly tenant: string
  readonly key: string
  readonly node: string
  readonly generation: number
  readonly note: string
}

/** Closed when enough probes in a row went well; the next one may be made at once until then. */
export const passed = statement<Settled>(
  'breaker_passed',
  (p) => [p.tenant, p.key, p.node, p.generation, p.note],
  `update step_breaker b set state = case when b.passed + 1 >= b.needed then 'closed' else 'half-open' end, passed = b.passed + 1,
          generation = b.generation + 1, probe_node = null, probe_until = null, changed_at = clock_timestamp(), said = $5::jsonb
    where b.tenant = $1 and b.key = $2 and b.probe_node = $3 and b.generation = $4`,
)

export const failed = statement<Settled>(
  'breaker_failed',
  (p) => [p.tenant, p.key, p.node, p.generation, p.note],
  `update step_breaker b set state = 'open', passed = 0, generation = b.generation + 1, probe_node = null, probe_until = null,
          open_until = clock_timestamp() + b.open_ms * interval '1 millisecond', changed_at = clock_timestamp(), said = $5::jsonb
    where b.tenant = $1 and b.key = $2 and b.probe_node = $3 and b.generation = $4`,
)

/** Those who wait for it are due, sorted as commits lock them; the first thousand, the others find out by themselves. */
export const callWaiting = statement<{ tenant: string; key: string }, { id: string }>(
  'breaker_call_waiting',
  (p) => [p.tenant, p.key],
  `with waiting as materialized (
     select a.instance_id from agenda a
      where a.instance_id = any (array(select w.instance_id from step_permit w
              where w.tenant = $1 and w.kind = 'breaker' and w.key = $2 and w.node_id is null and w.until_at > clock_timestamp() limit 1000))
      order by a.instance_id for update)
   update agenda a set stim = a.stim + 1, due_at = least(a.due_at, clock_timestamp()) from waiting w where a.instance_id = w.instance_id
   returning a.instance_id as id`,
)

export const reset = statement<{ tenant: string; key: string; note: string }>(
  'breaker_reset',
  (p) => [p.tenant, p.key, p.note],
  `update step_breaker b set state = 'closed', passed = 0, generation = b.generation + 1, probe_node = null, probe_until = null, open_until = null,
          reason = null, changed_at = clock_timestamp(), said = $3::jsonb
    where b.tenant = $1 and b.key = $2`,
)
