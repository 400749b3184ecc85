/** Lists of things that have names: ordered by id, one statement per direction. */
import { statement } from '../db/statement.ts'
import { LOOK_AT } from './browse.sql.ts'

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
  p.limit,
]
const scheduleColumns = 'tenant, id, document, revision, definition_id, owner, paused, due_at, last_fired_at'
const scheduleWanted = '($4::text is null or definition_id = $4) and ($5::boolean is null or paused = $5)'

export const schedulesUp = statement<SchedulesListed, ScheduleListRow>(
  'browse_schedules_up',
  bindSchedules,
  `select ${scheduleColumns} from schedule
    where tenant = $1 and ($2::text is null or id > $2) and ($3::text is null or id <= $3) and ${scheduleWanted}
    order by id limit $6`,
  { readOnly: true },
)

export const schedulesDown = statement<SchedulesListed, ScheduleListRow>(
  'browse_schedules_down',
  bindSchedules,
  `select ${scheduleColumns} from schedule
    where tenant = $1 and ($2::text is null or id < $2) and ($3::text is null or id >= $3) and ${scheduleWanted}
    order by id desc limit $6`,
  { readOnly: true },
)

export const scheduleCount = statement<SchedulesListed, { count: number }>(
  'browse_schedule_count',
  (p) => bindSchedules(p).slice(0, -1),
  `select count(*)::integer as count from schedule
    where tenant = $1 and ($2::text is null or id > $2) and ($3::text is null or id <= $3) and ${scheduleWanted}`,
  { readOnly: true },
)
