import { statement } from '../db/statement.ts'
import type { FlowColumns } from './flow-columns.ts'
import { foundDefinitions } from './published-only.sql.ts'

export interface PolicyTableRow {
  readonly tenant: string
  readonly definition_id: string
  readonly revision: number
  readonly declared: unknown
  readonly chosen: unknown
  readonly policy: unknown
  readonly updated_at: number
}

export const set = statement<
  { tenant: string; id: string; policy: string | undefined; expected: number | undefined },
  { outcome: 'set' | 'changed' | 'not-found'; revision: number | null }
>(
  'flow_set',
  (p) => [p.tenant, p.id, p.policy, p.expected],
  'select * from lockstep_flow_set($1, $2, false, null, $3::jsonb, $4)',
)

/** Code without a policy costs a look, unless an earlier version had one. */
export const declare = statement<
  { tenant: string; id: string; version: number; policy: string | undefined },
  { outcome: string }
>(
  'flow_declare',
  (p) => [p.tenant, p.id, p.version, p.policy],
  `select f.outcome from (select 1 where $4::text is not null or exists (select 1 from flow_policy p where p.tenant = $1 and p.definition_id = $2)) w
    cross join lateral lockstep_flow_set($1, $2, true, $3, $4::jsonb, null) f`,
)

const policyColumns = 'p.tenant, p.definition_id, p.revision, p.declared, p.chosen, p.policy, p.updated_at'

/** By primary key; the counts by partial indexes, at most 10,000 entries each. */
export const one = statement<
  { tenant: string; id: string },
  PolicyTableRow & { waiting: number; alive: number; gathering: number }
>(
  'flow_one',
  (p) => [p.tenant, p.id],
  `select ${policyColumns},
          (select count(*)::integer from (select 1 from flow_ticket t where t.tenant = $1 and t.definition_id = $2 and t.state = 'waiting' limit 10000) c) as waiting,
          (select count(*)::integer from (select 1 from flow_ticket t where t.tenant = $1 and t.definition_id = $2 and t.state = 'admitted' limit 10000) c) as alive,
          (select count(*)::integer from (select 1 from flow_ticket t where t.tenant = $1 and t.definition_id = $2 and t.state = 'gathering' limit 10000) c) as gathering
     from flow_policy p where p.tenant = $1 and p.definition_id = $2`,
  { readOnly: true },
)

/** By primary key from a cursor. */
export const list = statement<{ tenant: string; after: string | undefined; limit: number }, PolicyTableRow>(
  'flow_list',
  (p) => [p.tenant, p.after, p.limit],
  `select ${policyColumns} from flow_policy p
    where p.tenant = $1 and ($2::text is null or p.definition_id > $2) order by p.definition_id limit $3`,
  { readOnly: true },
)

export interface StartAnswerRow {
  readonly item: number
  readonly verdict: string
  readonly version: number | null
  readonly instance_id: string
  readonly here: boolean
  readonly retry_in: number | null
  readonly at: number
  readonly replaced: readonly string[]
  readonly woken: boolean
}

/** Also for a transaction of the caller's, where our schema has to be named. */
export const startText = (schema: string): string =>
  `select * from ${schema}lockstep_flow_start(
     $1, $2,
     $3, $4, ${foundDefinitions('$4', '$5', '$22', schema)}, $6, $7, $8, $9, $10, $11, $12, $13,
     $14, $15, $16, $17, $18, $19, $20, $21)`

export const startValues = (c: FlowColumns): readonly unknown[] => [
  c.node,
  c.within,
  c.id,
  c.tenant,
  c.definition,
  c.version,
  c.correlation,
  c.dedupe,
  c.parent,
  c.parentStep,
  c.queue,
  c.claimed,
  c.arrived,
  c.revision,
  c.singleton,
  c.concurrency,
  c.rate,
  c.throttle,
  c.gather,
  c.priority,
  `[${c.data.join(',')}]`,
  c.published,
]

export const start = statement<FlowColumns, StartAnswerRow>('flow_start', startValues, startText(''))

export interface PumpRow {
  readonly admitted: number
  readonly next_in: number | null
  readonly more: boolean
  readonly waiting: readonly (readonly [string, string])[] | null
  readonly arrived:
    | readonly { tenant: string; instanceId: string; definitionId: string; data: unknown; queue: string }[]
    | null
}

export const pump = statement<{ node: string; limit: number }, PumpRow>(
  'flow_pump',
  (p) => [p.node, p.limit],
  'select * from lockstep_flow_pump($1, $2)',
)

export interface FlowStandingRow {
  readonly state: 'waiting' | 'gathering'
  readonly blocked: 'singleton' | 'concurrency' | 'rate' | null
  readonly single_key: string
  readonly slot_key: string
  readonly rate_key: string
  readonly gather: string | null
  readonly priority: number
  readonly since: number
  readonly look_at: number | null
  readonly release_at: number | null
  readonly size: number
  readonly ahead: number
  readonly policy: unknown
}

/** By primary keys; what is ahead by the index of its line, at most 10,000 entries. */
export const standing = statement<{ tenant: string; id: string }, FlowStandingRow>(
  'flow_standing',
  (p) => [p.tenant, p.id],
  `select t.state, l.blocked, t.single_key, t.slot_key, t.rate_key, t.gather, t.priority, t.since, l.look_at, t.release_at, t.size, p.policy,
          (select count(*)::integer from (select 1 from flow_ticket x where x.tenant = t.tenant and x.definition_id = t.definition_id and x.lane = t.lane
                                             and x.state = 'waiting' and (x.rank, x.instance_id) < (t.rank, t.instance_id) limit 10000) c) as ahead
     from flow_ticket t
     left join flow_lane l on l.tenant = t.tenant and l.definition_id = t.definition_id and l.lane = t.lane
     left join flow_policy p on p.tenant = t.tenant and p.definition_id = t.definition_id
    where t.tenant = $1 and t.instance_id = $2 and t.state <> 'admitted'`,
  { readOnly: true },
)
