import { statement } from '../db/statement.ts'

export interface ScheduleTableRow {
  readonly id: string
  readonly tenant: string
  readonly document: unknown
  readonly revision: number
  readonly definition_id: string
  readonly owner: string | null
  readonly activity: string | null
  readonly paused: boolean
  readonly due_at: number | null
  readonly wake_at: number | null
  readonly last_fired_at: number | null
  readonly after_jobs: readonly string[] | null
  readonly round: unknown
}

export interface TakenRow extends ScheduleTableRow {
  readonly now: number
  readonly running: readonly string[]
  readonly waiting: readonly string[]
  readonly next_started: unknown
  readonly graph_version: number | null
  readonly ends: readonly { readonly scheduleId: string; readonly instanceId: string; readonly status: string }[] | null
}

const columns =
  'id, tenant, document, revision, definition_id, owner, activity, paused, due_at, wake_at, last_fired_at, after_jobs, round'

/** Index edges only. */
export const look = statement<undefined, { due: boolean; next_in: number | null; waiting: boolean; stale: boolean }>(
  'schedule_look',
  () => [],
  `select exists (select 1 from schedule s where s.wake_at <= (select clock_timestamp())) or exists (select 1 from schedule_end) as due,
          (select extract(epoch from s.wake_at - clock_timestamp())::float8 * 1000 from schedule s
            where s.wake_at is not null order by s.wake_at limit 1) as next_in,
          exists (select 1 from schedule_run r where r.state = 'waiting') as waiting,
          exists (select 1 from schedule_source) as stale`,
  { readOnly: true },
)

/** Beside what the function answers: what its first waiting run would be given, and by what it is checked. By primary keys. */
const beside = `(select r.started from schedule_run r where r.schedule_id = t.id and r.tenant = t.tenant and r.key = t.waiting[1]) as next_started,
          (select d.published from definition d where d.id = t.definition_id and d.tenant = t.tenant and d.kind = 'graph') as graph_version`

/** Locks what is due or was told of an end (migration 0008). */
export const takeDue = statement<{ limit: number }, TakenRow>(
  'schedule_take_due',
  (p) => [p.limit],
  `select t.*, ${beside} from lockstep_take_schedules(null, null, $1) t`,
)

/** Locks one, waiting for whoever holds it. */
export const takeOne = statement<{ tenant: string; id: string }, TakenRow>(
  'schedule_take_one',
  (p) => [p.tenant, p.id],
  `select t.*, ${beside} from lockstep_take_schedules($1, $2, 1) t`,
)

/** Whose schedule it was that was removed while it was paused. One row by primary key. */
export const pausedFor = statement<{ tenant: string; id: string }, { owner: string | null }>(
  'schedule_paused_for',
  (p) => [p.id, p.tenant],
  `select paused_for as owner from retired_revision where kind = 'schedule' and id = $1 and tenant = $2`,
  { readOnly: true },
)

export const now = statement<undefined, { now: number }>('schedule_now', () => [], 'select clock_timestamp() as now', {
  readOnly: true,
})

export interface FireColumns {
  readonly node: string
  readonly id: string[]
  readonly tenant: string[]
  readonly due: (string | undefined)[]
  readonly wake: (string | undefined)[]
  readonly last: (string | undefined)[]
  readonly round: string[]
  readonly drops: boolean[]
  readonly run: {
    readonly item: number[]
    readonly kind: string[]
    readonly id: (string | undefined)[]
    readonly key: string[]
    readonly at: (string | undefined)[]
    readonly origin: (string | undefined)[]
    readonly late: boolean[]
    readonly started: string[]
    readonly reason: (string | undefined)[]
    readonly last: (string | undefined)[]
    readonly count: number[]
    readonly exact: boolean[]
  }
  readonly cancelTenant: string[]
  readonly cancel: string[]
  readonly version: (number | undefined)[]
}

export interface FireRow {
  readonly item: number
  readonly key: string
  readonly state: 'started' | 'waiting' | 'skipped'
  readonly reason: string | null
  readonly instance_id: string | null
  readonly created: boolean
}

/** Starts runs and moves schedules on (migrations 0008 and 0049). By primary keys. */
export const fire = statement<FireColumns, FireRow>(
  'schedule_fire',
  ({ run: r, ...u }) => [
    u.node,
    u.id,
    u.tenant,
    u.due,
    u.wake,
    u.last,
    `[${u.round.join(',')}]`,
    u.drops,
    r.item,
    r.kind,
    r.id,
    r.key,
    r.at,
    r.origin,
    r.late,
    `[${r.started.join(',')}]`,
    r.reason,
    r.last,
    r.count,
    r.exact,
    u.cancelTenant,
    u.cancel,
    u.version,
  ],
  'select * from lockstep_fire_checked($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)',
)

export interface SaveParams {
  readonly tenant: string
  readonly id: string
  readonly document: string
  readonly definitionId: string
  readonly owner: string | undefined
  readonly activity: string | undefined
  readonly paused: boolean
  readonly after: readonly string[] | undefined
}

/** No row: somebody else made one at the same moment. */
export const insert = statement<SaveParams, { revision: number }>(
  'schedule_insert',
  (p) => [p.id, p.tenant, p.document, p.definitionId, p.owner, p.activity, p.paused, p.after],
  `insert into schedule (id, tenant, document, definition_id, owner, activity, paused, after_jobs) values ($1, $2, $3, $4, $5, $6, $7, $8)
   on conflict (id, tenant) do nothing returning revision`,
)

export const update = statement<SaveParams>(
  'schedule_update',
  (p) => [p.id, p.tenant, p.document, p.definitionId, p.owner, p.activity, p.paused, p.after],
  `update schedule set document = $3, definition_id = $4, owner = $5, activity = $6, paused = $7, after_jobs = $8, revision = revision + 1,
                       updated_at = clock_timestamp()
    where id = $1 and tenant = $2`,
)

export const remove = statement<{ tenant: string; id: string }>(
  'schedule_remove',
  (p) => [p.id, p.tenant],
  'delete from schedule where id = $1 and tenant = $2',
)

/** Its runs stay, so that no key is used twice; what waits does not start any more. */
export const dropWaiting = statement<{ tenant: string; id: string }>(
  'schedule_drop_waiting',
  (p) => [p.id, p.tenant],
  `update schedule_run set state = 'skipped', open = false, reason = 'removed', started = null
    where schedule_id = $1 and tenant = $2 and open and state = 'waiting'`,
)

export const one = statement<{ tenant: string; id: string }, ScheduleTableRow>(
  'schedule_one',
  (p) => [p.id, p.tenant],
  `select ${columns} from schedule where id = $1 and tenant = $2`,
  { readOnly: true },
)

export const list = statement<{ tenant: string; after: string | undefined; limit: number }, ScheduleTableRow>(
  'schedule_list',
  (p) => [p.tenant, p.after, p.limit],
  `select ${columns} from schedule where tenant = $1 and ($2::text is null or id > $2) order by id limit $3`,
  { readOnly: true },
)

export const owned = statement<{ tenant: string; owner: string }, ScheduleTableRow>(
  'schedule_owned',
  (p) => [p.tenant, p.owner],
  `select ${columns} from schedule where tenant = $1 and owner = $2 order by id limit 10000`,
  { readOnly: true },
)

export interface RunTableRow {
  readonly id: string
  readonly key: string
  readonly state: 'started' | 'waiting' | 'skipped'
  readonly reason: string | null
  readonly origin: 'schedule' | 'request' | 'backfill' | 'after'
  readonly nominal_at: number
  readonly last_at: number | null
  readonly count: number
  readonly exact: boolean
  readonly late: boolean
  readonly instance_id: string | null
  readonly decided_at: number
  readonly fired_at: number | null
  readonly node_id: string
  readonly ended_at: number | null
  readonly status: string | null
}

/** At most `limit` rows, the oldest first, by index schedule_run_skipped. One that somebody reads for update waits for the next time. */
export const trimSkipped = statement<{ keepMs: number; limit: number }>(
  'schedule_trim_skipped',
  (p) => [p.keepMs, p.limit],
  `delete from schedule_run r
    using (select x.schedule_id, x.key, x.tenant from schedule_run x
            where x.state = 'skipped' and not x.open and x.decided_at <= (select clock_timestamp()) - $1 * interval '1 millisecond'
            order by x.decided_at limit $2 for update skip locked) old
    where r.schedule_id = old.schedule_id and r.key = old.key and r.tenant = old.tenant`,
)

/** Newest first, from a cursor, by index schedule_run_list. */
export const runs = statement<{ tenant: string; id: string; before: string | undefined; limit: number }, RunTableRow>(
  'schedule_runs',
  (p) => [p.tenant, p.id, p.before, p.limit],
  `select id, key, state, reason, origin, nominal_at, last_at, count, exact, late, instance_id, decided_at, fired_at, node_id, ended_at, status
     from schedule_run where schedule_id = $2 and tenant = $1 and ($3::uuid is null or id < $3) order by id desc limit $4`,
  { readOnly: true },
)

export const staleSources = statement<{ limit: number }, { id: string; tenant: string; version: number | null }>(
  'schedule_stale_sources',
  (p) => [p.limit],
  'select definition_id as id, tenant, version from schedule_source order by definition_id, tenant limit $1',
  { readOnly: true },
)

/** Nothing when another version was published since: that one is to be applied then. */
export const sourceApplied = statement<{ tenant: string; id: string; version: number | undefined }>(
  'schedule_source_applied',
  (p) => [p.id, p.tenant, p.version],
  'delete from schedule_source where definition_id = $1 and tenant = $2 and version is not distinct from $3::integer',
)
