import { Fenced, type FireWrite, type NewRun, type RunAnswer, type StartItem } from '@lockstep/engine/ports'
import { insertStart, positionsOf } from './commit-transaction.ts'
import type { Database } from './database.ts'
import { PARKED } from './flow-gates.ts'
import { isControlled } from './flow-transactions.ts'
import type { RunTableRow, ScheduleTableRow } from './schedule-tables.ts'
import { putMessage, stimulate } from './stimulate.ts'
import { keyOf } from './tables.ts'

/** Writes one decision about a schedule that the same step has read. */
export function writeFire(database: Database, nodeId: string, write: FireWrite): RunAnswer[] {
  const { tables } = database
  const schedule = tables.schedules.get(keyOf(write.id, write.tenant))
  if (schedule === undefined) return []
  const waiting = runsOf(database, schedule).filter((run) => run.state === 'waiting')
  if (write.dropsWaiting)
    for (const run of waiting)
      Object.assign(run, { state: 'skipped', open: false, reason: 'overlap', started: undefined })

  const answers = write.runs.map((run) => writeRun(database, nodeId, schedule, run, write.version))
  const live = runsOf(database, schedule).filter((run) => run.open)
  const isStranded =
    !schedule.paused && live.some((run) => run.state === 'waiting') && live.every((run) => run.state === 'waiting')
  const wakeAt = isStranded ? Math.min(write.wakeAt ?? database.now(), database.now()) : write.wakeAt
  const { dueAt, lastFiredAt, round } = write
  Object.assign(schedule, { dueAt, wakeAt, lastFiredAt, round })

  for (const instanceId of write.cancels) cancel(database, write.tenant, instanceId)
  return answers
}

export function requireNode(database: Database, nodeId: string): void {
  const node = database.tables.nodes.get(nodeId)
  if (database.has('fence') && (node === undefined || node.doomed)) throw new Fenced({ nodeId })
}

export const runsOf = ({ tables }: Database, { id, tenant }: Pick<ScheduleTableRow, 'id' | 'tenant'>): RunTableRow[] =>
  [...tables.scheduleRuns.values()].filter((run) => run.scheduleId === id && run.tenant === tenant)

function writeRun(
  database: Database,
  nodeId: string,
  schedule: ScheduleTableRow,
  run: NewRun,
  checked: number | undefined,
): RunAnswer {
  const { tables } = database
  const place = keyOf(schedule.id, run.key, schedule.tenant)
  let row = tables.scheduleRuns.get(place)
  const isNew = run.kind === 'promote' || run.kind === 'refuse' ? row?.state === 'waiting' : row === undefined
  if (run.kind === 'refuse' && isNew)
    Object.assign(row!, { state: 'skipped', open: false, reason: run.reason, started: undefined })
  if (run.kind !== 'promote' && run.kind !== 'refuse' && row === undefined) {
    row = newRow(database, nodeId, schedule, run)
    tables.scheduleRuns.set(place, row)
  }
  const begins = isNew && (run.kind === 'promote' || run.kind === 'start')
  if (begins) begin(database, nodeId, schedule, row!, run.kind === 'start' ? run.started : row!.started!, checked)
  const { state, reason, instanceId } = row!
  return { tenant: schedule.tenant, scheduleId: schedule.id, key: run.key, state, reason, instanceId, created: isNew }
}

function newRow(
  database: Database,
  nodeId: string,
  schedule: ScheduleTableRow,
  run: Exclude<NewRun, { kind: 'promote' | 'refuse' }>,
): RunTableRow {
  const skips = run.kind === 'skip' ? run : undefined
  return {
    id: run.id,
    scheduleId: schedule.id,
    tenant: schedule.tenant,
    key: run.key,
    state: run.kind === 'skip' ? 'skipped' : 'waiting',
    open: run.kind !== 'skip',
    reason: skips?.reason,
    origin: run.origin,
    nominalAt: run.at,
    lastAt: skips?.lastAt,
    count: skips?.count ?? 1,
    exact: skips?.exact ?? true,
    late: run.kind === 'skip' ? false : run.late,
    instanceId: undefined,
    nodeId,
    decidedAt: database.now(),
    firedAt: undefined,
    endedAt: undefined,
    status: undefined,
    started: run.kind === 'wait' ? run.started : undefined,
  }
}

/** Reads the published pointer in the same step. An instance that has the key already is the run's. */
function begin(
  database: Database,
  nodeId: string,
  schedule: ScheduleTableRow,
  row: RunTableRow,
  data: string,
  checked: number | undefined,
): void {
  const { tables } = database
  const { tenant, definitionId } = schedule
  const definition = tables.definitions.get(keyOf(tenant, definitionId))
  const version = definition?.published
  const own = definition?.kind === 'function' ? `fn/${definitionId}/${version}` : 'default'
  const queue = isControlled(database, tenant, definitionId) ? PARKED : own
  const item: StartItem = {
    tenant,
    instanceId: row.id,
    definitionId,
    version: version === undefined ? undefined : checked,
    correlationId: undefined,
    dedupeKey: row.key,
    parentId: undefined,
    parentStep: undefined,
    queue,
    claimed: false,
    dueInMs: 0,
    started: { kind: 'started', data },
  }
  const isBorn = insertStart(database, nodeId, item, database.now(), positionsOf(database.nextTransaction()))
  const instance = isBorn
    ? row.id
    : [...tables.instances.values()].find(
        (each) => each.dedupeKey === row.key && each.definitionId === definitionId && each.tenant === tenant,
      )?.id
  row.started = undefined
  row.instanceId = instance
  if (instance === undefined) Object.assign(row, { state: 'skipped', open: false, reason: 'no-definition' })
  else Object.assign(row, { state: 'started', firedAt: database.now() })
}

function cancel(database: Database, tenant: string, instanceId: string): void {
  const instance = database.tables.instances.get(instanceId)
  if (instance === undefined || instance.finishedAt !== undefined) return
  const inbox = database.tables.inbox.get(instanceId) ?? []
  if (!inbox.some((message) => message.dedupeKey === 'cancel'))
    putMessage(database, {
      instanceId,
      tenant,
      kind: 'cancel',
      bookmarkId: undefined,
      name: undefined,
      step: undefined,
      payload: '{"reason":"the next run of its schedule begins"}',
      dedupeKey: 'cancel',
    })
  stimulate(database, [instanceId])
}
