import { statement } from '../db/statement.ts'

export interface ProgressColumns {
  readonly tenants: readonly string[]
  readonly instances: readonly string[]
  readonly steps: readonly string[]
}

/** One row per step, by primary key, in the caller's order. An older attempt changes nothing. */
export const write = statement<
  ProgressColumns & {
    readonly attempts: readonly number[]
    readonly fractions: readonly (number | undefined)[]
    readonly dones: readonly (number | undefined)[]
    readonly totals: readonly (number | undefined)[]
    readonly notes: readonly (string | undefined)[]
    readonly beats: string
  }
>(
  'progress_write',
  (p) => [p.tenants, p.instances, p.steps, p.attempts, p.fractions, p.dones, p.totals, p.notes, p.beats],
  `insert into step_progress as p (tenant, instance_id, step, attempt, fraction, done, total, note, beat, at)
   select w.tenant, w.instance_id, w.step, w.attempt, w.fraction, w.done, w.total, w.note, w.beat -> 0, clock_timestamp()
     from rows from (unnest($1::text[]), unnest($2::uuid[]), unnest($3::text[]), unnest($4::integer[]), unnest($5::float8[]), unnest($6::float8[]),
                     unnest($7::float8[]), unnest($8::text[]), json_array_elements($9::json))
          as w(tenant, instance_id, step, attempt, fraction, done, total, note, beat)
   on conflict (instance_id, step, tenant) do update
      set attempt = excluded.attempt, at = excluded.at, fraction = coalesce(excluded.fraction, p.fraction), done = coalesce(excluded.done, p.done),
          total = coalesce(excluded.total, p.total), note = coalesce(excluded.note, p.note), beat = coalesce(excluded.beat, p.beat)
    where p.attempt <= excluded.attempt`,
)

export const drop = statement<ProgressColumns>(
  'progress_drop',
  (p) => [p.tenants, p.instances, p.steps],
  `delete from step_progress p using unnest($1::text[], $2::uuid[], $3::text[]) as w(tenant, instance_id, step)
    where p.instance_id = w.instance_id and p.step = w.step and p.tenant = w.tenant`,
)

export interface ProgressDbRow {
  readonly tenant: string
  readonly instance_id: string
  readonly step: string
  readonly attempt: number
  readonly fraction: number | null
  readonly done: number | null
  readonly total: number | null
  readonly note: string | null
  readonly has_beat: boolean
  readonly beat: unknown
  readonly at: number
}

/** By primary key. */
export const read = statement<{ tenant: string; id: string; most: number }, ProgressDbRow>(
  'progress_read',
  (p) => [p.tenant, p.id, p.most],
  `select tenant, instance_id, step, attempt, fraction, done, total, note, beat is not null as has_beat, beat, extract(epoch from at)::float8 * 1000 as at
     from step_progress where instance_id = $2 and tenant = $1 order by step limit $3`,
  { readOnly: true },
)

export const beats = statement<ProgressColumns, { tenant: string; instance_id: string; step: string; beat: unknown }>(
  'progress_beats',
  (p) => [p.tenants, p.instances, p.steps],
  `select p.tenant, p.instance_id, p.step, p.beat from unnest($1::text[], $2::uuid[], $3::text[]) as w(tenant, instance_id, step)
    cross join lateral (select x.* from step_progress x where x.instance_id = w.instance_id and x.step = w.step and x.tenant = w.tenant offset 0) p
    where p.beat is not null`,
  { readOnly: true },
)
