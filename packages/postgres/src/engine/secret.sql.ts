import { statement } from '../db/statement.ts'

export interface SecretRow {
  readonly tenant: string
  readonly name: string
  readonly key_id: string
  readonly hosts: readonly string[]
  readonly revision: number
  readonly created_at: number
  readonly updated_at: number
  readonly updated_by: string
}

/** `nonce` and `box` as base64, here and in every statement below. */
export interface SealedRow {
  readonly tenant: string
  readonly name: string
  readonly key_id: string
  readonly nonce: string
  readonly box: string
  readonly hosts: readonly string[]
  readonly revision: number
}

/** One row by primary key. Without hosts those that it has stay. */
export const put = statement<
  {
    tenant: string
    name: string
    keyId: string
    nonce: string
    box: string
    hosts: readonly string[] | undefined
    by: string
  },
  SecretRow
>(
  'secret_put',
  (p) => [p.tenant, p.name, p.keyId, p.nonce, p.box, p.by, p.hosts],
  `insert into secret as s (tenant, name, key_id, nonce, box, updated_by, hosts)
   values ($1, $2, $3, decode($4, 'base64'), decode($5, 'base64'), $6, coalesce($7::text[], '{}'))
   on conflict (tenant, name) do update
      set key_id = excluded.key_id, nonce = excluded.nonce, box = excluded.box, updated_by = excluded.updated_by,
          hosts = coalesce($7::text[], s.hosts), updated_at = clock_timestamp(), revision = s.revision + 1
   returning tenant, name, key_id, hosts, revision, created_at, updated_at, updated_by`,
)

/** One row by primary key. */
export const find = statement<{ tenant: string; name: string }, SealedRow>(
  'secret_find',
  (p) => [p.tenant, p.name],
  `select tenant, name, key_id, encode(nonce, 'base64') as nonce, encode(box, 'base64') as box, hosts, revision
     from secret where tenant = $1 and name = $2`,
  { readOnly: true },
)

/** A page of one tenant, by primary key. */
export const list = statement<{ tenant: string; after: string | undefined; limit: number }, SecretRow>(
  'secret_list',
  (p) => [p.tenant, p.after ?? '', p.limit],
  `select tenant, name, key_id, hosts, revision, created_at, updated_at, updated_by
     from secret where tenant = $1 and name > $2 order by name limit $3`,
  { readOnly: true },
)

export const remove = statement<{ tenant: string; name: string }>(
  'secret_remove',
  (p) => [p.tenant, p.name],
  'delete from secret where tenant = $1 and name = $2',
)

/** A page over all tenants, by primary key. Those under the right key are passed by: a rotation reads the table once. */
export const sealedOtherwise = statement<{ keyId: string; tenant: string; name: string; limit: number }, SealedRow>(
  'secret_sealed_otherwise',
  (p) => [p.keyId, p.tenant, p.name, p.limit],
  `select tenant, name, key_id, encode(nonce, 'base64') as nonce, encode(box, 'base64') as box, hosts, revision
     from secret where (tenant, name) > ($2, $3) and key_id <> $1 order by tenant, name limit $4`,
  { readOnly: true },
)

/** The value stays what it is, so neither its revision nor its time changes. One row by primary key. */
export const reseal = statement<{
  tenant: string
  name: string
  keyId: string
  nonce: string
  box: string
  revision: number
}>(
  'secret_reseal',
  (p) => [p.tenant, p.name, p.keyId, p.nonce, p.box, p.revision],
  `update secret set key_id = $3, nonce = decode($4, 'base64'), box = decode($5, 'base64')
    where tenant = $1 and name = $2 and revision = $6`,
)
