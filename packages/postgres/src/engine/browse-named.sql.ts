/** Lists of things that have names: ordered by id, one statement per direction. */
import { statement } from '../db/statement.ts'
import { LOOK_AT, runColumns } from './browse.sql.ts'
import type { RunTableRow } from './schedule.sql.ts'

export interface NamedStretch {
  readonly tenant: string
  /** Where the page begins; not part of it. */
  readonly from: string | undefined
  /** Where the search ends; part of it. */
  readonly to: string | undefined
  readonly limit: number
}

/** Of all tenants: the primary key starts with the id. */
export const scheduleBoundUp = statement<{ from: string | undefined }, { id: string }>(
  'browse_schedule_bound_up',
  (p) => [p.from],
  `select id from schedule where ($1::text is null or id > $1) order by id offset ${LOOK_AT - 1} limit 1`,
  { readOnly: true },
)

export const scheduleBoundDown = statement<{ from: string | undefined }, { id: string }>(
  'browse_schedule_bound_down',
  (p) => [p.from],
  `select id from schedule where ($1::text is null or id < $1) order by id desc offset ${LOOK_AT - 1} limit 1`,
  { readOnly: true },
)

export interface SchedulesListed extends NamedStretch {
  readonly definitionId: string | undefined
  readonly paused: boolean | undefined
  readonly text: string | undefined
}

export interface ScheduleListRow {
  readonly tenant: string
  readonly id: string
  readonly document: unknown
  readonly revision: number
  readonly definition_id: string
  readonly owner: string | null
  readonly paused: boolean
  readonly due_at: number | null
  readonly last_fired_at: number | null
}

const bindSchedules = (p: SchedulesListed): readonly unknown[] => [
  p.tenant,
  p.from,
  p.to,
  p.definitionId,
  p.paused,
  p.text,
  p.limit,
]
const scheduleColumns = 'tenant, id, document, revision, definition_id, owner, paused, due_at, last_fired_at'
const scheduleWanted = `($4::text is null or definition_id = $4) and ($5::boolean is null or paused = $5)
      and ($6::text is null or position(lower($6) in lower(id)) > 0 or position(lower($6) in lower(document->>'name')) > 0)`

export const schedulesUp = statement<SchedulesListed, ScheduleListRow>(
  'browse_schedules_up',
  bindSchedules,
  `select ${scheduleColumns} from schedule
    where tenant = $1 and ($2::text is null or id > $2) and ($3::text is null or id <= $3) and ${scheduleWanted}
    order by id limit $7`,
  { readOnly: true },
)

export const schedulesDown = statement<SchedulesListed, ScheduleListRow>(
  'browse_schedules_down',
  bindSchedules,
  `select ${scheduleColumns} from schedule
    where tenant = $1 and ($2::text is null or id < $2) and ($3::text is null or id >= $3) and ${scheduleWanted}
    order by id desc limit $7`,
  { readOnly: true },
)

export const scheduleCount = statement<SchedulesListed, { count: number }>(
  'browse_schedule_count',
  (p) => bindSchedules(p).slice(0, -1),
  `select count(*)::integer as count from schedule
    where tenant = $1 and ($2::text is null or id > $2) and ($3::text is null or id <= $3) and ${scheduleWanted}`,
  { readOnly: true },
)

export interface LatestRunRow extends RunTableRow {
  readonly schedule_id: string
  /** Of the latest decisions about its schedule, twenty at most. */
  readonly runs: number
  readonly late_ones: number
  readonly skipped: number
}

/** The latest decision about each schedule of a page, and how many of its latest twenty came late or were let go. By `schedule_run_list`. */
export const latestRuns = statement<{ tenant: string; ids: readonly string[] }, LatestRunRow>(
  'browse_schedule_latest_runs',
  (p) => [p.tenant, p.ids],
  `select w.of as schedule_id, r.*, n.runs, n.late_ones, n.skipped
     from unnest($2::text[]) as w(of)
     cross join lateral (select ${runColumns} from schedule_run where schedule_id = w.of and tenant = $1 order by id desc limit 1) r
     cross join lateral (
       select count(*)::integer as runs, (count(*) filter (where l.late))::integer as late_ones,
              coalesce(sum(l.count) filter (where l.state = 'skipped'), 0)::integer as skipped
         from (select late, state, count from schedule_run m where m.schedule_id = w.of and m.tenant = $1 order by m.id desc limit 20) l) n`,
  { readOnly: true },
)
