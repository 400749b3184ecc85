import {
  Fenced,
  type FireWrite,
  type RunAnswer,
  type ScheduleRow,
  type ScheduleRun,
  type ScheduleStore,
  type TakenSchedule,
} from '@lockstep/engine/ports'
import type { Db, Lane } from '../db/db.ts'
import { sqlstateOf } from '../db/errors.ts'
import type { Queries } from '../db/queries.ts'
import { FENCED } from './fenced.ts'
import * as sql from './schedule.sql.ts'
import { fireColumns } from './schedule-columns.ts'

export function postgresSchedules(db: Db): ScheduleStore {
  const api = db.lane('api')
  return {
    look: async () => {
      const row = await db.lane('control').one(sql.look)
      return { due: row.due, nextInMs: row.next_in ?? undefined, waiting: row.waiting, stale: row.stale }
    },
    fire: (nodeId, limit, decide) => fire(db.lane('work'), nodeId, limit, decide),
    change: (nodeId, tenant, id, decide) => change(api, nodeId, tenant, id, decide),
    get: async (tenant, id) => {
      const row = await api.maybeOne(sql.one, { tenant, id })
      return row && toRow(row)
    },
    list: async (tenant, after, limit) => (await api.many(sql.list, { tenant, after, limit })).map(toRow),
    owned: async (tenant, owner) => (await api.many(sql.owned, { tenant, owner })).map(toRow),
    runs: async (tenant, id, before, limit) => (await api.many(sql.runs, { tenant, id, before, limit })).map(toRun),
    staleSources: async (limit) =>
      (await api.many(sql.staleSources, { limit })).map(({ id, tenant, version }) => ({
        tenant,
        definitionId: id,
        version: version ?? undefined,
      })),
    sourceApplied: async ({ tenant, definitionId: id, version }) => {
      await api.run(sql.sourceApplied, { tenant, id, version })
    },
    trimSkipped: (keepMs, limit) => api.run(sql.trimSkipped, { keepMs, limit }),
  }
}

/** The rows are held while `decide` thinks; what it decided and the commit leave in one message. */
async function fire(
  lane: Lane,
  nodeId: string,
  limit: number,
  decide: Parameters<ScheduleStore['fire']>[2],
): ReturnType<ScheduleStore['fire']> {
  let writes: readonly FireWrite[] = []
  const rows = await unlessFenced(nodeId, () =>
    lane.transactionEndingWith(sql.fire, async (tx) => {
      const taken = await tx.many(sql.takeDue, { limit })
      writes = taken.length === 0 ? [] : decide(taken.map(toTaken), taken[0]!.now)
      return fireColumns(nodeId, writes)
    }),
  )
  return { taken: writes.length, runs: rows.map((row) => toAnswer(row, writes[row.item - 1]!)) }
}

async function change(
  lane: Lane,
  nodeId: string,
  tenant: string,
  id: string,
  decide: Parameters<ScheduleStore['change']>[3],
): ReturnType<ScheduleStore['change']> {
  for (;;) {
    const answer = await unlessFenced(nodeId, () =>
      lane.transaction(async (tx) => {
        const taken = await tx.maybeOne(sql.takeOne, { tenant, id })
        const now = taken?.now ?? (await tx.one(sql.now)).now
        const removed = taken === undefined ? await tx.maybeOne(sql.pausedFor, { tenant, id }) : undefined
        const decided = decide(taken && toTaken(taken), now, removed?.owner ?? undefined)
        if (decided === undefined) return { row: taken && toRow(taken), runs: [] }
        if (decided.kind === 'remove') {
          await tx.run(sql.dropWaiting, { tenant, id })
          await tx.run(sql.remove, { tenant, id })
          return { row: undefined, runs: [] }
        }
        const { save, fire: write } = decided
        if (save !== undefined) {
          const after = save.after.length === 0 ? undefined : save.after
          const params = { ...save, tenant, id, after }
          if (taken !== undefined) await tx.run(sql.update, params)
          else if ((await tx.maybeOne(sql.insert, params)) === undefined) return undefined
        }
        return written(tx, nodeId, write)
      }),
    )
    // Somebody made it in the same moment: decide again, about that one.
    if (answer !== undefined) return answer
  }
}

async function written(tx: Queries, nodeId: string, write: FireWrite): ReturnType<ScheduleStore['change']> {
  const { tenant, id } = write
  const rows = await tx.many(sql.fire, fireColumns(nodeId, [write]))
  const row = await tx.maybeOne(sql.one, { tenant, id })
  return { row: row && toRow(row), runs: rows.map((each) => toAnswer(each, write)) }
}

async function unlessFenced<T>(nodeId: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (sqlstateOf(error) === FENCED) throw new Fenced({ nodeId }, { cause: error })
    throw error
  }
}

const toRow = (row: sql.ScheduleTableRow): ScheduleRow => ({
  tenant: row.tenant,
  id: row.id,
  document: row.document,
  revision: row.revision,
  definitionId: row.definition_id,
  owner: row.owner ?? undefined,
  activity: row.activity ?? undefined,
  paused: row.paused,
  dueAt: row.due_at ?? undefined,
  wakeAt: row.wake_at ?? undefined,
  lastFiredAt: row.last_fired_at ?? undefined,
  after: row.after_jobs ?? [],
  round: row.round ?? undefined,
})

const toTaken = (row: sql.TakenRow): TakenSchedule => ({
  ...toRow(row),
  running: row.running,
  waiting: row.waiting,
  nextStarted: row.next_started ?? undefined,
  graphVersion: row.graph_version ?? undefined,
  ends: row.ends ?? [],
})

const toAnswer = (row: sql.FireRow, { tenant, id }: FireWrite): RunAnswer => ({
  tenant,
  scheduleId: id,
  key: row.key,
  state: row.state,
  reason: row.reason ?? undefined,
  instanceId: row.instance_id ?? undefined,
  created: row.created,
})

export const toRun = (row: sql.RunTableRow): ScheduleRun => ({
  id: row.id,
  key: row.key,
  state: row.state,
  reason: row.reason ?? undefined,
  origin: row.origin,
  nominalAt: row.nominal_at,
  lastAt: row.last_at ?? undefined,
  count: row.count,
  exact: row.exact,
  late: row.late,
  instanceId: row.instance_id ?? undefined,
  decidedAt: row.decided_at,
  firedAt: row.fired_at ?? undefined,
  nodeId: row.node_id,
  endedAt: row.ended_at ?? undefined,
  status: row.status ?? undefined,
})
