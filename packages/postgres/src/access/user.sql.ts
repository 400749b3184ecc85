import { statement } from '../db/statement.ts'

export interface UserRow {
  readonly name: string
  readonly tenant: string
  readonly role: string
  readonly password_hash: string
  readonly disabled: boolean
  readonly created_at: number
  readonly signed_in_at: number | null
}

/** No row: the name is taken. */
export const add = statement<{ name: string; tenant: string; role: string; passwordHash: string }, UserRow>(
  'local_user_add',
  (p) => [p.name, p.tenant, p.role, p.passwordHash],
  `insert into local_user (name, tenant, role, password_hash) values ($1, $2, $3, $4)
   on conflict (name) do nothing
   returning name, tenant, role, password_hash, disabled, created_at, signed_in_at`,
)

export const find = statement<{ name: string }, UserRow>(
  'local_user_find',
  (p) => [p.name],
  'select name, tenant, role, password_hash, disabled, created_at, signed_in_at from local_user where name = $1',
  { readOnly: true },
)

/** A page by name. */
export const list = statement<{ tenant: string | undefined; after: string | undefined; limit: number }, UserRow>(
  'local_user_list',
  (p) => [p.tenant, p.after, p.limit],
  `select name, tenant, role, password_hash, disabled, created_at, signed_in_at
     from local_user where ($1::text is null or tenant = $1) and ($2::text is null or name > $2)
    order by name limit $3`,
  { readOnly: true },
)

/** One row by name, and the sessions of that user: what was granted to a cookie is granted anew. */
export const change = statement<
  {
    name: string
    tenant: string | undefined
    role: string | undefined
    passwordHash: string | undefined
    disabled: boolean | undefined
  },
  UserRow
>(
  'local_user_change',
  (p) => [p.name, p.tenant, p.role, p.passwordHash, p.disabled],
  `with changed as (
     update local_user set role = coalesce($3, role), password_hash = coalesce($4, password_hash), disabled = coalesce($5, disabled)
      where name = $1 and ($2::text is null or tenant = $2)
     returning name, tenant, role, password_hash, disabled, created_at, signed_in_at),
   ended as (delete from user_session s using changed c where s.user_name = c.name)
   select * from changed`,
)

export const remove = statement<{ name: string; tenant: string | undefined }>(
  'local_user_remove',
  (p) => [p.name, p.tenant],
  'delete from local_user where name = $1 and ($2::text is null or tenant = $2)',
)
