import type { RunEnd, ScheduleRow, ScheduleStore, StaleSource, TakenSchedule } from '@lockstep/engine/ports'
import type { Database } from './database.ts'
import type { RunTableRow, ScheduleTableRow } from './schedule-tables.ts'
import { requireNode, runsOf, writeFire } from './schedule-writes.ts'
import type { Synchronous } from './synchronous.ts'
import { keyOf } from './tables.ts'

const MOST_TAKEN_ALONG = 1_000

export function scheduleTransactions(database: Database): Synchronous<ScheduleStore> {
  const { tables } = database
  const find = (tenant: string, id: string): ScheduleTableRow | undefined => tables.schedules.get(keyOf(id, tenant))
  const stale = (): StaleSource[] =>
    [...tables.definitions.values()]
      .filter(
        ({ id, tenant, kind, published }) =>
          kind === 'graph' && published !== tables.scheduleSources.get(keyOf(id, tenant)),
      )
      .map(({ id, tenant, published }) => ({ tenant, definitionId: id, version: published }))
  return {
    look: () => {
      const now = database.now()
      const wakes = [...tables.schedules.values()].flatMap((row) => row.wakeAt ?? [])
      const next = wakes.length === 0 ? undefined : wakes.reduce((a, b) => Math.min(a, b)) - now
      return {
        due: (next !== undefined && next <= 0) || untold(database).length > 0,
        nextInMs: next,
        waiting: [...tables.scheduleRuns.values()].some((run) => run.state === 'waiting'),
        stale: stale().length > 0,
      }
    },
    fire: (nodeId, limit, decide) => {
      const { taken, forgetEnds } = takeDue(database, limit)
      const writes = taken.length === 0 ? [] : decide(taken, database.now())
      requireNode(database, nodeId)
      forgetEnds()
      return { taken: writes.length, runs: writes.flatMap((write) => writeFire(database, nodeId, write)) }
    },
    change: (nodeId, tenant, id, decide) => {
      const current = find(tenant, id)
      const retired = tables.retiredRevisions.get(keyOf('schedule', id, tenant))
      const pausedFor = current === undefined ? retired?.pausedFor : undefined
      const change = decide(current && toTaken(database, current, []), database.now(), pausedFor)
      if (change === undefined) return { row: current && toRow(current), runs: [] }
      if (change.kind === 'remove') {
        for (const run of runsOf(database, { id, tenant }))
          if (run.state === 'waiting')
            Object.assign(run, { state: 'skipped', open: false, reason: 'removed', started: undefined })
        if (current !== undefined) {
          const { revision, paused, owner } = current
          tables.retiredRevisions.set(keyOf('schedule', id, tenant), {
            revision,
            pausedFor: paused ? owner : undefined,
          })
        }
        tables.schedules.delete(keyOf(id, tenant))
        return { row: undefined, runs: [] }
      }
      requireNode(database, nodeId)
      const { save, fire } = change
      if (save !== undefined) {
        const kept = { dueAt: undefined, wakeAt: undefined, lastFiredAt: undefined, round: undefined }
        tables.schedules.set(keyOf(id, tenant), {
          ...(current ?? kept),
          ...save,
          id,
          tenant,
          revision: (current ?? retired ?? { revision: 0 }).revision + 1,
        })
      }
      const runs = writeFire(database, nodeId, fire)
      const row = find(tenant, id)
      return { row: row && toRow(row), runs }
    },
    get: (tenant, id) => {
      const row = find(tenant, id)
      return row && toRow(row)
    },
    list: (tenant, after, limit) =>
      [...tables.schedules.values()]
        .filter((row) => row.tenant === tenant && (after === undefined || row.id > after))
        .sort(byId)
        .slice(0, limit)
        .map(toRow),
    owned: (tenant, owner) =>
      [...tables.schedules.values()]
        .filter((row) => row.tenant === tenant && row.owner === owner)
        .sort(byId)
        .map(toRow),
    runs: (tenant, id, before, limit) =>
      runsOf(database, { id, tenant })
        .filter((run) => before === undefined || run.id < before)
        .sort((a, b) => (a.id < b.id ? 1 : -1))
        .slice(0, limit)
        .map(({ scheduleId: _, tenant: __, open: ___, started: ____, ...run }) => run),
    staleSources: (limit) => stale().slice(0, limit),
    sourceApplied: ({ tenant, definitionId, version }) =>
      void tables.scheduleSources.set(keyOf(definitionId, tenant), version),
    trimSkipped: (keepMs, limit) => {
      const old = [...tables.scheduleRuns]
        .filter(
          ([, { state, open, decidedAt }]) => state === 'skipped' && !open && decidedAt <= database.now() - keepMs,
        )
        .sort(([, a], [, b]) => a.decidedAt - b.decidedAt)
        .slice(0, limit)
      for (const [key] of old) tables.scheduleRuns.delete(key)
      return old.length
    },
  }
}

/** Runs whose instances have ended and whose ends nobody was told of. */
function untold({ tables }: Database): RunTableRow[] {
  return [...tables.scheduleRuns.values()].filter(
    (run) =>
      run.open &&
      run.state === 'started' &&
      run.instanceId !== undefined &&
      tables.instances.get(run.instanceId)?.finishedAt !== undefined,
  )
}

/** Nothing is written before the decision is there: it may throw. */
function takeDue(database: Database, limit: number): { readonly taken: TakenSchedule[]; forgetEnds(): void } {
  const { tables } = database
  const told = untold(database)
    .map((run) => ({ run, instance: tables.instances.get(run.instanceId!)! }))
    .sort((a, b) => a.instance.finishedAt! - b.instance.finishedAt! || (a.instance.id < b.instance.id ? -1 : 1))
    .slice(0, limit)
  const taken = new Map<ScheduleTableRow, RunEnd[]>()
  const take = (row: ScheduleTableRow): RunEnd[] => {
    const ends = taken.get(row) ?? []
    taken.set(row, ends)
    return ends
  }
  for (const { run, instance } of told) {
    const own = tables.schedules.get(keyOf(run.scheduleId, run.tenant))
    if (own !== undefined && runsOf(database, own).some((each) => each.state === 'waiting')) take(own)
    for (const row of tables.schedules.values())
      if (row.tenant === run.tenant && row.after.includes(run.scheduleId))
        take(row).push({ scheduleId: run.scheduleId, instanceId: instance.id, status: instance.status })
  }
  const due = [...tables.schedules.values()]
    .filter((row) => row.wakeAt !== undefined && row.wakeAt <= database.now())
    .sort((a, b) => a.wakeAt! - b.wakeAt!)
  for (const row of due.slice(0, limit)) take(row)
  return {
    taken: [...taken].map(([row, ends]) => toTaken(database, row, ends)),
    forgetEnds: () => {
      for (const { run, instance } of told)
        Object.assign(run, { open: false, endedAt: instance.finishedAt, status: instance.status })
    },
  }
}

function toTaken(database: Database, row: ScheduleTableRow, ends: readonly RunEnd[]): TakenSchedule {
  const { tables } = database
  const live = runsOf(database, row).filter((run) => run.open)
  const { overlap = 'skip' } = JSON.parse(row.document) as { readonly overlap?: string }
  const running = live
    .filter((run) => run.state === 'started')
    .map((run) => run.instanceId!)
    .filter((id) => tables.instances.get(id)?.finishedAt === undefined)
  const waiting = live
    .filter((run) => run.state === 'waiting')
    .sort((a, b) => a.nominalAt - b.nominalAt || (a.key < b.key ? -1 : 1))
  const next = waiting[0]?.started
  const definition = tables.definitions.get(keyOf(row.tenant, row.definitionId))
  return {
    ...toRow(row),
    running: overlap === 'allow' ? [] : running.slice(0, MOST_TAKEN_ALONG),
    waiting: waiting.slice(0, MOST_TAKEN_ALONG).map((run) => run.key),
    nextStarted: next === undefined ? undefined : JSON.parse(next),
    graphVersion: definition?.kind === 'graph' ? definition.published : undefined,
    ends,
  }
}

const toRow = (row: ScheduleTableRow): ScheduleRow => ({
  ...row,
  document: JSON.parse(row.document),
  round: row.round === undefined ? undefined : JSON.parse(row.round),
})

const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1)
