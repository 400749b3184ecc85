import { statement } from '../db/statement.ts'

export const create = statement<
  { tenant: string; id: string; name: string; document: string; tags: readonly string[]; by: string | undefined },
  { revision: number }
>(
  'definition_create',
  (p) => [p.id, p.tenant, p.name, p.document, p.tags, p.by],
  `insert into definition (id, tenant, kind, name, draft, tags, updated_by) values ($1, $2, 'graph', $3, $4, $5, $6) on conflict do nothing returning revision`,
)

export interface DraftRow {
  readonly id: string
  readonly kind: 'graph' | 'function'
  readonly draft: unknown
  readonly revision: number
  readonly published: number | null
  readonly tags: readonly string[]
  readonly updated_by: string | null
}

export const draft = statement<{ tenant: string; id: string }, DraftRow>(
  'definition_draft',
  (p) => [p.id, p.tenant],
  'select id, kind, draft, revision, published, tags, updated_by from definition where id = $1 and tenant = $2',
  { readOnly: true },
)

/** Compares and swaps by revision; a null revision replaces whatever is there. */
export const saveDraft = statement<
  {
    tenant: string
    id: string
    name: string
    document: string
    revision: number | undefined
    tags: readonly string[]
    by: string | undefined
  },
  { revision: number }
>(
  'definition_save_draft',
  (p) => [p.id, p.tenant, p.name, p.document, p.revision, p.tags, p.by],
  `update definition set draft = $4, name = $3, tags = $6, updated_by = $7, revision = revision + 1, updated_at = clock_timestamp()
    where id = $1 and tenant = $2 and kind = 'graph' and ($5::integer is null or revision = $5) returning revision`,
)

/** Locks the definition, so that two publishes cannot take one number. What they compare is read in a later statement. */
export const lock = statement<
  { tenant: string; id: string },
  { revision: number; latest: number; published: number | null }
>(
  'definition_lock',
  (p) => [p.id, p.tenant],
  `select revision, latest, published from definition where id = $1 and tenant = $2 and kind = 'graph' for update`,
)

export const hashOf = statement<{ tenant: string; id: string; version: number }, { hash: string }>(
  'definition_hash_of',
  (p) => [p.id, p.tenant, p.version],
  'select hash from definition_version where id = $1 and tenant = $2 and version = $3',
  { readOnly: true },
)

export const addVersion = statement<{ tenant: string; id: string; version: number; hash: string }>(
  'definition_add_version',
  (p) => [p.id, p.tenant, p.version, p.hash],
  `insert into definition_version (id, tenant, version, hash, document)
   select id, tenant, $3, $4, draft from definition where id = $1 and tenant = $2`,
)

/** One row per workflow that the version runs. */
export const addReferences = statement<{ tenant: string; id: string; version: number; runs: readonly string[] }>(
  'definition_add_references',
  (p) => [p.id, p.tenant, p.version, p.runs],
  `insert into definition_reference (target_id, tenant, id, version)
   select distinct r.target, $2, $1, $3::integer from unnest($4::text[]) as r(target) on conflict do nothing`,
)

export const pointToLatest = statement<{ tenant: string; id: string; version: number }>(
  'definition_point_to_latest',
  (p) => [p.id, p.tenant, p.version],
  `update definition set published = $3, latest = $3, updated_at = clock_timestamp() where id = $1 and tenant = $2`,
)

/** To a version that exists; versions are never deleted, so what the statement saw stays so. */
export const point = statement<{ tenant: string; id: string; version: number }>(
  'definition_point',
  (p) => [p.id, p.tenant, p.version],
  `update definition set published = $3, updated_at = clock_timestamp()
    where id = $1 and tenant = $2 and kind = 'graph'
      and exists (select from definition_version v where v.id = $1 and v.tenant = $2 and v.version = $3)`,
)

export const retract = statement<{ tenant: string; id: string }>(
  'definition_retract',
  (p) => [p.id, p.tenant],
  `update definition set published = null, updated_at = clock_timestamp() where id = $1 and tenant = $2 and kind = 'graph'`,
)

/** Only while it never had a version: nothing can refer to it. */
export const remove = statement<{ tenant: string; id: string }>(
  'definition_remove',
  (p) => [p.id, p.tenant],
  'delete from definition where id = $1 and tenant = $2 and latest = 0',
)

export const resetDraft = statement<
  { tenant: string; id: string; version: number; name: string; tags: readonly string[] },
  { revision: number }
>(
  'definition_reset_draft',
  (p) => [p.id, p.tenant, p.version, p.name, p.tags],
  `update definition d set draft = v.document, name = $4, tags = $5, updated_by = null, revision = d.revision + 1, updated_at = clock_timestamp()
     from definition_version v
    where d.id = $1 and d.tenant = $2 and v.id = $1 and v.tenant = $2 and v.version = $3 returning d.revision`,
)

/** A function's version only moves forward: a node with older code that starts later must not point back. */
export const registerFunction = statement<
  { tenant: string; id: string; version: number; tags: readonly string[] },
  { kind: string }
>(
  'definition_register_function',
  (p) => [p.id, p.tenant, p.version, p.tags],
  `with v as (insert into definition_version (id, tenant, version, hash) values ($1, $2, $3, 'function') on conflict do nothing)
   insert into definition as d (id, tenant, kind, name, published, latest, tags) values ($1, $2, 'function', $1, $3, $3, $4)
   on conflict (id, tenant) do update set published = greatest(d.published, excluded.published), latest = greatest(d.latest, excluded.latest),
      tags = case when d.kind = 'function' and excluded.latest >= d.latest then excluded.tags else d.tags end
   returning kind`,
)

export const version = statement<
  { tenant: string; id: string; version: number },
  { kind: 'graph' | 'function'; hash: string; document: unknown }
>(
  'definition_version_one',
  (p) => [p.id, p.tenant, p.version],
  `select d.kind, v.hash, v.document from definition_version v join definition d on d.id = v.id and d.tenant = v.tenant
    where v.id = $1 and v.tenant = $2 and v.version = $3`,
  { readOnly: true },
)

export interface SummaryRow {
  readonly id: string
  readonly kind: 'graph' | 'function'
  readonly name: string
  readonly published: number | null
  readonly revision: number
  readonly tags: readonly string[]
}

export const list = statement<{ tenant: string; after: string | undefined; limit: number }, SummaryRow>(
  'definition_list',
  (p) => [p.tenant, p.after, p.limit],
  `select id, kind, name, published, revision, tags from definition
    where tenant = $1 and ($2::text is null or id > $2) order by id limit $3`,
  { readOnly: true },
)

/** By index (tenant, id) from a cursor. Filters are applied on the way: bounded by the number of rows looked at. */
export const listFiltered = statement<
  {
    tenant: string
    after: string | undefined
    limit: number
    namePrefix: string | undefined
    kind: 'graph' | 'function' | undefined
    published: boolean | undefined
  },
  SummaryRow
>(
  'definition_list_filtered',
  (p) => [p.tenant, p.after, p.limit, p.namePrefix, p.kind, p.published],
  `select id, kind, name, published, revision, tags
     from (select id, kind, name, published, revision, tags from definition
            where tenant = $1 and ($2::text is null or id > $2) order by id limit 10000) d
    where ($4::text is null or starts_with(lower(name), lower($4))) and ($5::text is null or kind = $5)
      and ($6::boolean is null or (published is not null) = $6)
    order by id limit $3`,
  { readOnly: true },
)

/** By primary key, backwards. */
export const versions = statement<
  { tenant: string; id: string; before: number | undefined; limit: number },
  { version: number; hash: string; published_at: number; current: boolean }
>(
  'definition_versions',
  (p) => [p.id, p.tenant, p.before, p.limit],
  `select v.version, v.hash, v.published_at, v.version is not distinct from d.published as current
     from definition_version v join definition d on d.id = v.id and d.tenant = v.tenant
    where v.id = $1 and v.tenant = $2 and ($3::integer is null or v.version < $3) order by v.version desc limit $4`,
  { readOnly: true },
)
