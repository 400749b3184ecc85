import { statement } from '../db/statement.ts'

/** One row per part, under the fence of the node row (migration 0023). */
export const add = statement<
  {
    nodeId: string
    most: number
    tenants: readonly string[]
    instances: readonly string[]
    steps: readonly string[]
    numbers: readonly number[]
    values: readonly string[]
  },
  { verdicts: readonly string[] }
>(
  'part_add',
  (p) => [p.nodeId, p.most, p.tenants, p.instances, p.steps, p.numbers, p.values],
  'select lockstep_add_parts($1, $2, $3::text[], $4::uuid[], $5::text[], $6::integer[], $7::text[]::json[]) as verdicts',
)

export const addOfTask = statement<
  { tenant: string; taskId: string; leaseNo: number; from: number; values: string; most: number },
  { verdict: string; part: string }
>(
  'part_add_of_task',
  (p) => [p.tenant, p.taskId, p.leaseNo, p.from, p.values, p.most],
  'select a.verdict, a.part from lockstep_add_task_parts($1, $2, $3, $4, $5::json, $6) a',
)

export interface PartDbRow {
  readonly status: string
  readonly ended: boolean
  readonly no: number | null
  readonly step: string | null
  readonly step_no: number | null
  readonly value: unknown
  readonly at: number | null
}

/** By primary keys. One statement: an instance that has ended in it has no parts that it does not see. */
export const read = statement<{ tenant: string; id: string; after: number; limit: number }, PartDbRow>(
  'part_read',
  (p) => [p.tenant, p.id, p.after, p.limit],
  `select i.status, i.finished_at is not null as ended, p.no, p.step, p.step_no, p.value, extract(epoch from p.at)::float8 * 1000 as at
     from instance i
     left join lateral (select x.* from step_part x where x.instance_id = i.id and x.tenant = i.tenant and x.no > $3 order by x.no limit $4) p on true
    where i.id = $2 and i.tenant = $1 order by p.no`,
  { readOnly: true },
)

/** The last entry of an index. */
export const count = statement<{ tenant: string; id: string; step: string }, { count: number }>(
  'part_count',
  (p) => [p.tenant, p.id, p.step],
  `select coalesce(max(x.step_no), 0) as count from step_part x where x.instance_id = $2 and x.tenant = $1 and x.step = $3`,
  { readOnly: true },
)

/** Three index entries per instance. */
export const marks = statement<
  { tenants: readonly string[]; instances: readonly string[] },
  { tenant: string; instance_id: string; last: number; ended: boolean; spoke_at: number | null }
>(
  'part_marks',
  (p) => [p.tenants, p.instances],
  `select w.tenant, w.instance_id, coalesce(p.no, 0) as last, i.finished_at is not null as ended, extract(epoch from s.at)::float8 * 1000 as spoke_at
     from unnest($1::text[], $2::uuid[]) as w(tenant, instance_id)
    cross join lateral (select x.finished_at from instance x where x.id = w.instance_id and x.tenant = w.tenant offset 0) i
     left join lateral (select x.no from step_part x where x.instance_id = w.instance_id and x.tenant = w.tenant order by x.no desc limit 1) p on true
     left join lateral (select max(x.at) as at from step_progress x where x.instance_id = w.instance_id and x.tenant = w.tenant) s on true`,
  { readOnly: true },
)
