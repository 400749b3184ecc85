import { statement } from '../db/statement.ts'
import type { UserRow } from './user.sql.ts'

/** One row, and the hour of the sign-in at its user. Takes a few dead sessions away: each new one removes more than it adds. */
export const open = statement<{ hash: string; user: string; idleMs: number; longestMs: number }>(
  'user_session_open',
  (p) => [p.hash, p.user, p.idleMs, p.longestMs],
  `with dead as (delete from user_session where hash in
             (select hash from user_session where expires_at <= (select clock_timestamp()) order by expires_at limit 10 for update skip locked)),
        seen as (update local_user set signed_in_at = clock_timestamp() where name = $2)
   insert into user_session (hash, user_name, expires_at, ends_at)
   values ($1, $2, clock_timestamp() + $3::float8 * interval '1 millisecond', clock_timestamp() + $4::float8 * interval '1 millisecond')`,
)

export type SessionRow = UserRow & { readonly expires_at: number; readonly slide: boolean }

/** By primary key. `slide`: enough of its time has passed for a write to be worth it. */
export const find = statement<{ hash: string; idleMs: number }, SessionRow>(
  'user_session_find',
  (p) => [p.hash, p.idleMs],
  `select u.name, u.tenant, u.role, u.password_hash, u.disabled, u.created_at, u.signed_in_at, s.expires_at,
          s.expires_at < s.ends_at and s.expires_at < (select clock_timestamp()) + $2::float8 * 0.95 * interval '1 millisecond' as slide
     from user_session s join local_user u on u.name = s.user_name
    where s.hash = $1 and s.expires_at > (select clock_timestamp()) and not u.disabled`,
  { readOnly: true },
)

/** Never beyond the longest that a session may last. */
export const slide = statement<{ hash: string; idleMs: number }>(
  'user_session_slide',
  (p) => [p.hash, p.idleMs],
  `update user_session set expires_at = least(ends_at, clock_timestamp() + $2::float8 * interval '1 millisecond')
    where hash = $1 and expires_at > clock_timestamp()`,
)

export const end = statement<{ hash: string }>(
  'user_session_end',
  (p) => [p.hash],
  'delete from user_session where hash = $1',
)

/** By the index of users. Those that were over go with the others, and are not counted. */
export const endAll = statement<{ user: string; tenant: string | undefined }, { ended: number }>(
  'user_session_end_all',
  (p) => [p.user, p.tenant],
  `with gone as (
     delete from user_session s using local_user u
      where s.user_name = $1 and u.name = s.user_name and ($2::text is null or u.tenant = $2)
     returning s.expires_at)
   select (count(*) filter (where expires_at > (select clock_timestamp())))::integer as ended from gone`,
)
