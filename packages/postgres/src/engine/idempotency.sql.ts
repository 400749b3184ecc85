import { statement } from '../db/statement.ts'

interface Attempt {
  readonly tenant: string
  readonly operation: string
  readonly key: string
  readonly fingerprint: string
  readonly token: string
}

/**
 * Takes a key that is new, whose day is over, or whose attempt died. No row: somebody else has it, or had it for another request.
 * One row by primary key; the store's clock. `day` is the same for all attempts under a key until its day is over.
 */
export const begin = statement<Attempt & { holdMs: number; keepMs: number }, { day: string }>(
  'idempotency_begin',
  (p) => [p.tenant, p.operation, p.key, p.fingerprint, p.token, p.holdMs, p.keepMs],
  `insert into request_answer as r (tenant, operation, key, fingerprint, token, held_until, expires_at)
   values ($1, $2, $3, $4, $5, clock_timestamp() + $6::float8 * interval '1 millisecond', clock_timestamp() + $7::float8 * interval '1 millisecond')
   on conflict (tenant, operation, key) do update
      set fingerprint = excluded.fingerprint, token = excluded.token, held_until = excluded.held_until,
          expires_at = case when r.expires_at <= clock_timestamp() then excluded.expires_at else r.expires_at end, status = null, answer = null
    where r.expires_at <= clock_timestamp()
       or (r.status is null and r.held_until <= clock_timestamp() and r.fingerprint = excluded.fingerprint)
   returning (extract(epoch from expires_at) * 1000000)::bigint::text as day`,
)

export const look = statement<
  { tenant: string; operation: string; key: string },
  { fingerprint: string; status: number | null; answer: string | null; held_ms: number }
>(
  'idempotency_look',
  (p) => [p.tenant, p.operation, p.key],
  `select fingerprint, status, answer, greatest(0, extract(epoch from held_until - clock_timestamp()) * 1000)::float8 as held_ms
     from request_answer where tenant = $1 and operation = $2 and key = $3`,
  { readOnly: true },
)

export const finish = statement<Attempt & { status: number; answer: string }>(
  'idempotency_finish',
  (p) => [p.tenant, p.operation, p.key, p.token, p.status, p.answer],
  `update request_answer set status = $5, answer = $6
    where tenant = $1 and operation = $2 and key = $3 and token = $4 and status is null`,
)

export const abandon = statement<Attempt>(
  'idempotency_abandon',
  (p) => [p.tenant, p.operation, p.key, p.token],
  `delete from request_answer where tenant = $1 and operation = $2 and key = $3 and token = $4 and status is null`,
)

/** Gives the key back to the same request alone. */
export const release = statement<Attempt>(
  'idempotency_release',
  (p) => [p.tenant, p.operation, p.key, p.token],
  `update request_answer set held_until = clock_timestamp()
    where tenant = $1 and operation = $2 and key = $3 and token = $4 and status is null`,
)

/** A few of those whose day is over, by index. Each new key takes more away than it adds. */
export const sweep = statement(
  'idempotency_sweep',
  () => [],
  `delete from request_answer r
    using (select tenant, operation, key from request_answer where expires_at <= (select clock_timestamp())
            order by expires_at limit 10 for update skip locked) old
    where r.tenant = old.tenant and r.operation = old.operation and r.key = old.key`,
)
