import type { AuditDetail } from '@lockstep/engine/ports'
import { statement } from '../db/statement.ts'

interface Columns {
  readonly tenants: readonly string[]
  readonly ats: readonly number[]
  readonly kinds: readonly string[]
  readonly actors: readonly string[]
  readonly operations: readonly string[]
  readonly targets: readonly string[]
  readonly outcomes: readonly string[]
  readonly statuses: readonly number[]
  readonly addresses: readonly string[]
  readonly agents: readonly string[]
  readonly nodes: readonly string[]
  /** JSON, or null. */
  readonly details: readonly (string | null)[]
}

/** Any number of entries in one statement, in their order. */
export const append = statement<Columns>(
  'audit_append',
  (p) => [
    ...[p.tenants, p.ats, p.kinds, p.actors, p.operations, p.targets],
    ...[p.outcomes, p.statuses, p.addresses, p.agents, p.nodes, p.details],
  ],
  `insert into audit_entry (tenant, at, actor_kind, actor, operation, target, outcome, status, address, agent, node, detail)
   select e.tenant, to_timestamp(e.at / 1000), e.kind, e.actor, e.operation, e.target, e.outcome, e.status, e.address, e.agent, e.node, e.detail::jsonb
     from unnest($1::text[], $2::float8[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::integer[], $9::text[], $10::text[], $11::text[], $12::text[])
          with ordinality as e (tenant, at, kind, actor, operation, target, outcome, status, address, agent, node, detail, place)
    order by e.place`,
)

export interface AuditRow {
  readonly seq: string
  readonly tenant: string
  readonly at: number
  readonly actor_kind: string
  readonly actor: string
  readonly operation: string
  readonly target: string
  readonly outcome: string
  readonly status: number
  readonly address: string
  readonly agent: string
  readonly node: string
  readonly detail: AuditDetail | null
}

/** Entries that are looked at for one page, at most. */
const LOOK_AT = 10_000

interface Placed {
  readonly tenant: string | undefined
  readonly after: string | undefined
}

/** The last entry that a filtered page looks at; none: there are fewer. By primary key or the index of a tenant. */
export const bound = statement<Placed, { seq: string; at: number }>(
  'audit_bound',
  (p) => [p.tenant, p.after],
  `select seq, at from audit_entry where ($1::text is null or tenant = $1) and ($2::bigint is null or seq < $2)
    order by seq desc offset ${LOOK_AT - 1} limit 1`,
  { readOnly: true },
)

interface Wanted extends Placed {
  readonly limit: number
  readonly actor: string | undefined
  readonly operation: string | undefined
  readonly outcome: string | undefined
  readonly from: number | undefined
  readonly until: number | undefined
}

/** A page, newest first, by primary key or the index of a tenant, down to `to`. */
export const list = statement<Wanted & { readonly to: string | undefined }, AuditRow>(
  'audit_list',
  (p) => [p.tenant, p.after, p.limit, p.actor, p.operation, p.outcome, p.to, p.from, p.until],
  `select seq, tenant, at, actor_kind, actor, operation, target, outcome, status, address, agent, node, detail
     from audit_entry
    where ($1::text is null or tenant = $1) and ($2::bigint is null or seq < $2) and ($7::bigint is null or seq >= $7)
      and ($4::text is null or actor = $4) and ($5::text is null or operation = $5) and ($6::text is null or outcome = $6)
      and ($8::float8 is null or at >= to_timestamp($8 / 1000)) and ($9::float8 is null or at < to_timestamp($9 / 1000))
    order by seq desc limit $3`,
  { readOnly: true },
)

/**
 * The same of one target: what the request named, whatever stood behind it in the path, and what came to be. Each by its index and no more of
 * each than a page; an id came to be once or a few times, so those are sorted.
 */
export const listOfTarget = statement<Wanted & { readonly target: string }, AuditRow>(
  'audit_list_of_target',
  (p) => [p.tenant, p.after, p.limit, p.actor, p.operation, p.outcome, p.target, p.from, p.until],
  `with made as materialized (
     select e.* from audit_entry e where e.detail ? 'made' and e.detail -> 'made' @> jsonb_build_array($7::text)
   ), named as materialized (
     select e.* from audit_entry e
      where e.target <> '' and e.target = $7 and ($2::bigint is null or e.seq < $2)
        and ($1::text is null or e.tenant = $1)
        and ($4::text is null or e.actor = $4) and ($5::text is null or e.operation = $5) and ($6::text is null or e.outcome = $6)
        and ($8::float8 is null or e.at >= to_timestamp($8 / 1000)) and ($9::float8 is null or e.at < to_timestamp($9 / 1000))
      order by e.seq desc limit $3
   ), beneath as materialized (
     select e.* from audit_entry e where e.target <> '' and e.target ~>=~ ($7 || '/') and e.target ~<~ ($7 || '0')
   )
   select seq, tenant, at, actor_kind, actor, operation, target, outcome, status, address, agent, node, detail
     from (select * from made union select * from named union select * from beneath) e
    where ($1::text is null or tenant = $1) and ($2::bigint is null or seq < $2)
      and ($4::text is null or actor = $4) and ($5::text is null or operation = $5) and ($6::text is null or outcome = $6)
      and ($8::float8 is null or at >= to_timestamp($8 / 1000)) and ($9::float8 is null or at < to_timestamp($9 / 1000))
    order by seq desc limit $3`,
  { readOnly: true },
)

/** By primary key, a few at a time: what was written first is oldest. */
export const trim = statement<{ readonly keepMs: number; readonly limit: number }>(
  'audit_trim',
  (p) => [p.keepMs, p.limit],
  `delete from audit_entry
    where seq in (select seq from audit_entry order by seq limit $2::integer)
      and at < clock_timestamp() - $1::float8 * interval '1 millisecond'`,
)
