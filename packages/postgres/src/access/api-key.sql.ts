import { statement } from '../db/statement.ts'

export interface ApiKeyRow {
  readonly id: string
  readonly tenant: string
  readonly name: string
  readonly hash: string
  readonly role: string
  readonly permissions: string[] | null
  readonly created_by: string
  readonly created_at: number
  readonly expires_at: number | null
  readonly used_at: number | null
  readonly revoked_at: number | null
  readonly live: boolean
}

/** One row. */
export const add = statement<
  {
    id: string
    tenant: string
    name: string
    hash: string
    role: string
    permissions: readonly string[] | undefined
    createdBy: string
    expiresInMs: number | undefined
  },
  ApiKeyRow
>(
  'api_key_add',
  (p) => [p.id, p.tenant, p.name, p.hash, p.role, p.permissions, p.createdBy, p.expiresInMs],
  `insert into api_key (id, tenant, name, hash, role, permissions, created_by, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, clock_timestamp() + $8::float8 * interval '1 millisecond')
   returning id, tenant, name, hash, role, permissions, created_by, created_at, expires_at, used_at, revoked_at, true as live`,
)

/** By primary key. */
export const find = statement<{ id: string }, ApiKeyRow>(
  'api_key_find',
  (p) => [p.id],
  `select id, tenant, name, hash, role, permissions, created_by, created_at, expires_at, used_at, revoked_at,
          revoked_at is null and (expires_at is null or expires_at > (select clock_timestamp())) as live
     from api_key where id = $1`,
  { readOnly: true },
)

/** A page, newest first, by primary key; those of one tenant by its index. */
export const list = statement<{ tenant: string | undefined; after: string | undefined; limit: number }, ApiKeyRow>(
  'api_key_list',
  (p) => [p.tenant, p.after, p.limit],
  `select id, tenant, name, hash, role, permissions, created_by, created_at, expires_at, used_at, revoked_at,
          revoked_at is null and (expires_at is null or expires_at > (select clock_timestamp())) as live
     from api_key where ($1::text is null or tenant = $1) and ($2::uuid is null or id < $2)
    order by id desc limit $3`,
  { readOnly: true },
)

export const revoke = statement<{ id: string; tenant: string | undefined }, ApiKeyRow>(
  'api_key_revoke',
  (p) => [p.id, p.tenant],
  `update api_key set revoked_at = coalesce(revoked_at, clock_timestamp())
    where id = $1 and ($2::text is null or tenant = $2)
   returning id, tenant, name, hash, role, permissions, created_by, created_at, expires_at, used_at, revoked_at, false as live`,
)

/** Touches its row once a minute, however often the key is used. */
export const used = statement<{ id: string }>(
  'api_key_used',
  (p) => [p.id],
  `update api_key set used_at = clock_timestamp()
    where id = $1 and (used_at is null or used_at < clock_timestamp() - interval '1 minute')`,
)
