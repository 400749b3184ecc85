import { statement } from '../db/statement.ts'

/** One row. Takes a few dead ones away: each new one removes more than it adds. */
export const open = statement<{
  hash: string
  subject: string
  name: string
  tenant: string
  role: string
  idleMs: number
  longestMs: number
}>(
  'issued_session_open',
  (p) => [p.hash, p.subject, p.name, p.tenant, p.role, p.idleMs, p.longestMs],
  `with dead as (delete from issued_session where hash in
             (select hash from issued_session where expires_at <= (select clock_timestamp()) order by expires_at limit 10 for update skip locked))
   insert into issued_session (hash, subject, name, tenant, role, expires_at, ends_at)
   values ($1, $2, $3, $4, $5, clock_timestamp() + least($6, $7)::float8 * interval '1 millisecond', clock_timestamp() + $7::float8 * interval '1 millisecond')`,
)

export interface IssuedSessionRow {
  readonly subject: string
  readonly name: string
  readonly tenant: string
  readonly role: string
  readonly slide: boolean
}

/** By primary key. `slide`: enough of its time has passed for a write to be worth it. */
export const find = statement<{ hash: string; idleMs: number }, IssuedSessionRow>(
  'issued_session_find',
  (p) => [p.hash, p.idleMs],
  `select subject, name, tenant, role,
          expires_at < ends_at and expires_at < (select clock_timestamp()) + $2::float8 * 0.95 * interval '1 millisecond' as slide
     from issued_session where hash = $1 and expires_at > (select clock_timestamp())`,
  { readOnly: true },
)

/** Never beyond the longest that a session may last. */
export const slide = statement<{ hash: string; idleMs: number }>(
  'issued_session_slide',
  (p) => [p.hash, p.idleMs],
  `update issued_session set expires_at = least(ends_at, clock_timestamp() + $2::float8 * interval '1 millisecond')
    where hash = $1 and expires_at > clock_timestamp()`,
)

export const end = statement<{ hash: string }>(
  'issued_session_end',
  (p) => [p.hash],
  'delete from issued_session where hash = $1',
)

/** Reads the whole table, which has half a day of sign-ins, because an administrator said so. Those that were over are not counted. */
export const endAll = statement<{ subject: string; tenant: string | undefined }, { ended: number }>(
  'issued_session_end_all',
  (p) => [p.subject, p.tenant],
  `with gone as (
     delete from issued_session where subject = $1 and ($2::text is null or tenant = $2) returning expires_at)
   select (count(*) filter (where expires_at > (select clock_timestamp())))::integer as ended from gone`,
)
