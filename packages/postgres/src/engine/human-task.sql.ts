import { statement } from '../db/statement.ts'

export interface HumanTaskRow {
  readonly id: string
  readonly instance_id: string
  readonly step: string
  readonly title: string
  readonly description: string | null
  readonly form: unknown
  readonly outcomes: readonly string[]
  readonly assignee: string | null
  readonly candidates: readonly string[]
  readonly due_at: number | null
  readonly status: 'open' | 'completed' | 'cancelled'
  readonly outcome: string | null
  readonly completed_by: string | null
  readonly created_at: number
  readonly ended_at: number | null
}

/** The step may have got another name since the task was opened. */
const columns = `
  t.id, t.instance_id, coalesce((select b.step from bookmark b where b.id = t.id and b.tenant = t.tenant), t.step) as step, t.title, t.description, t.form, t.outcomes, t.assignee, t.candidates, t.due_at, t.outcome, t.completed_by,
  t.created_at, t.ended_at,
  case when t.status = 'open' and not exists (select 1 from bookmark b where b.id = t.id and b.tenant = t.tenant) then 'cancelled'
       else t.status end as status`

/** One row; nothing where the bookmark is gone. One that was put away while its bookmark was lost is wanted again. */
export const open = statement<{
  tenant: string
  id: string
  instanceId: string
  step: string
  title: string
  description: string | undefined
  form: string | undefined
  outcomes: readonly string[]
  assignee: string | undefined
  candidates: readonly string[]
  dueInMs: number | undefined
}>(
  'human_task_open',
  (p) => [
    p.tenant,
    p.id,
    p.instanceId,
    p.step,
    p.title,
    p.description,
    p.form,
    p.outcomes,
    p.assignee,
    p.candidates,
    p.dueInMs,
  ],
  `insert into human_task as t (tenant, id, instance_id, step, title, description, form, outcomes, assignee, candidates, due_at)
   select $1, $2, $3, $4, $5, $6, $7, $8::text[], $9, $10::text[], b.created_at + $11::float8 * interval '1 millisecond'
     from bookmark b where b.id = $2 and b.tenant = $1
   on conflict (tenant, id) do update set status = 'open', ended_at = null, kept_until = excluded.kept_until where t.status = 'cancelled'`,
)

export const end = statement<
  {
    tenant: string
    id: string
    outcome: string
    by: string | undefined
    message: string
    tokenHash: string | undefined
  },
  { verdict: string }
>(
  'human_task_end',
  (p) => [p.tenant, p.id, p.outcome, p.by, p.message, p.tokenHash],
  'select lockstep_end_human_task($1, $2, $3, $4, $5, $6) as verdict',
)

export const one = statement<{ tenant: string; id: string }, HumanTaskRow>(
  'human_task_one',
  (p) => [p.tenant, p.id],
  `select ${columns} from human_task t where t.tenant = $1 and t.id = $2`,
  { readOnly: true },
)

/** Newest first, by primary key from a cursor; filters are applied on the way to a bounded number of rows. */
export const list = statement<
  {
    tenant: string
    before: string | undefined
    status: string | undefined
    assignee: string | undefined
    candidate: string | undefined
    instanceId: string | undefined
    limit: number
  },
  HumanTaskRow
>(
  'human_task_list',
  (p) => [p.tenant, p.before, p.status, p.assignee, p.candidate, p.instanceId, p.limit],
  `select t.* from (
     select ${columns}
       from (select * from human_task x
              where x.tenant = $1 and ($2::uuid is null or x.id < $2) and ($3::text is distinct from 'open' or x.status = 'open')
              order by x.id desc limit 10000) t
      where ($4::text is null or t.assignee = $4) and ($5::text is null or (t.assignee is null and $5 = any (t.candidates)))
        and ($6::uuid is null or t.instance_id = $6)) t
    where $3::text is null or t.status = $3
    order by t.id desc limit $7`,
  { readOnly: true },
)

/** One row, for a bookmark that is there. */
export const addToken = statement<
  { tenant: string; hash: string; bookmarkId: string; ttlMs: number },
  { expires_at: number }
>(
  'resume_token_add',
  (p) => [p.tenant, p.hash, p.bookmarkId, p.ttlMs],
  `insert into resume_token (tenant, hash, bookmark_id, instance_id, expires_at)
   select $1, $2, b.id, b.instance_id, clock_timestamp() + $4::float8 * interval '1 millisecond'
     from bookmark b where b.id = $3 and b.tenant = $1
   returning expires_at`,
)

/** By primary key. */
export const token = statement<
  { tenant: string; hash: string },
  {
    bookmark_id: string
    instance_id: string
    kind: string | null
    name: string | null
    expired: boolean
    used: boolean
    expires_at: number
  }
>(
  'resume_token_one',
  (p) => [p.tenant, p.hash],
  `select r.bookmark_id, r.instance_id, b.kind, b.name, r.expires_at <= (select clock_timestamp()) as expired, r.used_at is not null as used, r.expires_at
     from resume_token r left join bookmark b on b.id = r.bookmark_id and b.tenant = r.tenant
    where r.tenant = $1 and r.hash = $2`,
  { readOnly: true },
)

export const tokenUsed = statement<{ tenant: string; hash: string }>(
  'resume_token_used',
  (p) => [p.tenant, p.hash],
  'update resume_token set used_at = clock_timestamp() where tenant = $1 and hash = $2 and used_at is null',
)
