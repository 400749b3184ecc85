import { statement } from '../db/statement.ts'

export interface TaskRow {
  readonly id: string
  readonly instance_id: string
  readonly step: string
  readonly queue: string
  readonly name: string
  readonly payload: unknown
  readonly status: 'open' | 'claimed' | 'completed' | 'failed' | 'cancelled'
  readonly lease_no: number
  readonly worker: string | null
  readonly due_at: number
  readonly progress: unknown
  readonly created_at: number
  readonly ended_at: number | null
}

/** An open row without its bookmark is one that nobody has put away yet. The step may have got another name since it was opened. */
const columns = `
  t.id, t.instance_id, coalesce((select b.step from bookmark b where b.id = t.id and b.tenant = t.tenant), t.step) as step, t.queue, t.name, t.payload, t.lease_no, t.worker, t.due_at, t.progress, t.created_at, t.ended_at,
  case when t.status <> 'open' then t.status
       when not exists (select 1 from bookmark b where b.id = t.id and b.tenant = t.tenant) then 'cancelled'
       when t.due_at > (select clock_timestamp()) then 'claimed' else 'open' end as status`

/** One row; nothing where the bookmark is gone. One that was put away while its bookmark was lost is wanted again. */
export const open = statement<{
  tenant: string
  id: string
  instanceId: string
  step: string
  queue: string
  name: string
  payload: string
  leaseMs: number
  mostClaims: number
}>(
  'task_open',
  (p) => [p.tenant, p.id, p.instanceId, p.step, p.queue, p.name, p.payload, p.leaseMs, p.mostClaims],
  `insert into task as t (tenant, id, instance_id, step, queue, name, payload, lease_ms, most_claims)
   select $1, $2, $3, $4, $5, $6, $7, $8, $9 where exists (select 1 from bookmark b where b.id = $2 and b.tenant = $1)
   on conflict (tenant, id) do update
      set status = 'open', payload = excluded.payload, due_at = excluded.due_at, worker = null, ended_at = null, kept_until = excluded.kept_until
    where t.status = 'cancelled'`,
)

export const sweep = statement('task_sweep', () => [], 'select lockstep_sweep_tasks()')

/** By index task_due (migration 0016). */
export const claim = statement<
  {
    tenant: string
    queue: string
    names: readonly string[]
    limit: number
    leaseMs: number | undefined
    worker: string
    abandoned: string
  },
  TaskRow
>(
  'task_claim',
  (p) => [p.tenant, p.queue, p.names, p.limit, p.leaseMs, p.worker, p.abandoned],
  `select t.id, t.instance_id, coalesce((select b.step from bookmark b where b.id = t.id and b.tenant = t.tenant), t.step) as step,
          t.queue, t.name, t.payload, t.lease_no, t.worker, t.due_at, t.progress, t.created_at, t.ended_at, 'claimed' as status
     from lockstep_claim_tasks($1, $2, $3::text[], $4, $5, $6, $7) t order by t.created_at, t.id`,
)

/** Bounded by its limit. */
export const look = statement<{ lookAt: number }, { tenant: string; queue: string; name: string; seen: number }>(
  'task_look',
  (p) => [p.lookAt],
  `select d.tenant, d.queue, d.name, count(*)::integer as seen
     from (select t.tenant, t.queue, t.name from task t where t.status = 'open' and t.due_at <= (select clock_timestamp()) limit $1) d
    group by d.tenant, d.queue, d.name`,
  { readOnly: true },
)

export const beat = statement<
  { tenant: string; id: string; leaseNo: number; leaseMs: number | undefined; progress: string | undefined },
  { verdict: string }
>(
  'task_beat',
  (p) => [p.tenant, p.id, p.leaseNo, p.leaseMs, p.progress],
  'select lockstep_beat_task($1, $2, $3, $4, $5) as verdict',
)

export const end = statement<
  { tenant: string; id: string; leaseNo: number; status: string; message: string },
  { verdict: string }
>(
  'task_end',
  (p) => [p.tenant, p.id, p.leaseNo, p.status, p.message],
  'select lockstep_end_task($1, $2, $3, $4, $5) as verdict',
)

export const one = statement<{ tenant: string; id: string }, TaskRow>(
  'task_one',
  (p) => [p.tenant, p.id],
  `select ${columns} from task t where t.tenant = $1 and t.id = $2`,
  { readOnly: true },
)

/** Newest first, by primary key from a cursor; filters are applied on the way to a bounded number of rows. */
export const list = statement<
  {
    tenant: string
    before: string | undefined
    queue: string | undefined
    name: string | undefined
    status: string | undefined
    instanceId: string | undefined
    limit: number
  },
  TaskRow
>(
  'task_list',
  (p) => [p.tenant, p.before, p.queue, p.name, p.status, p.instanceId, p.limit],
  `select t.* from (
     select ${columns}
       from (select * from task x where x.tenant = $1 and ($2::uuid is null or x.id < $2) order by x.id desc limit 10000) t
      where ($3::text is null or t.queue = $3) and ($4::text is null or t.name = $4) and ($6::uuid is null or t.instance_id = $6)) t
    where $5::text is null or t.status = $5
    order by t.id desc limit $7`,
  { readOnly: true },
)
