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
}

/** Any number of entries in one statement, in their order. */
export const append = statement<Columns>(
  'audit_append',
  (p) => [
    ...[p.tenants, p.ats, p.kinds, p.actors, p.operations, p.targets],
    ...[p.outcomes, p.statuses, p.addresses, p.agents, p.nodes],
  ],
  `insert into audit_entry (tenant, at, actor_kind, actor, operation, target, outcome, status, address, agent, node)
   select e.tenant, to_timestamp(e.at / 1000), e.kind, e.actor, e.operation, e.target, e.outcome, e.status, e.address, e.agent, e.node
     from unnest($1::text[], $2::float8[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::integer[], $9::text[], $10::text[], $11::text[])
          with ordinality as e (tenant, at, kind, actor, operation, target, outcome, status, address, agent, node, place)
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
}

/** A page, newest first, by primary key or the index of a tenant. */
export const list = statement<
  {
    tenant: string | undefined
    after: string | undefined
    limit: number
    actor: string | undefined
    operation: string | undefined
    outcome: string | undefined
  },
  AuditRow
>(
  'audit_list',
  (p) => [p.tenant, p.after, p.limit, p.actor, p.operation, p.outcome],
  `select seq, tenant, at, actor_kind, actor, operation, target, outcome, status, address, agent, node
     from audit_entry
    where ($1::text is null or tenant = $1) and ($2::bigint is null or seq < $2)
      and ($4::text is null or actor = $4) and ($5::text is null or operation = $5) and ($6::text is null or outcome = $6)
    order by seq desc limit $3`,
  { readOnly: true },
)
