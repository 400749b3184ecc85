import type { KeptAs, MaintenanceStore, SweepRequest } from '@lockstep/engine/ports'
import type { Database } from './database.ts'
import { examinations, repairs } from './doctor-transactions.ts'
import { eraseInstance } from './erase-instance.ts'
import { instanceStanding } from './standing-query.ts'
import type { Synchronous } from './synchronous.ts'
import { type InstanceTableRow, keyOf } from './tables.ts'

const DUTY = 'retention'

export function maintenanceTransactions(database: Database): Synchronous<MaintenanceStore> {
  const { tables, now } = database
  const keepTurn = (nodeId: string, ttlMs: number): boolean => {
    const turn = tables.turns.get(DUTY)
    if (turn?.holder !== nodeId || turn.expiresAt <= now()) return false
    turn.expiresAt = now() + ttlMs
    return true
  }
  return {
    takeTurn: (duty, nodeId, ttlMs, early) => {
      const turn = tables.turns.get(duty) ?? { holder: undefined, expiresAt: 0, nextAt: 0 }
      const lives = turn.holder !== undefined && turn.expiresAt > now()
      if (lives ? turn.holder !== nodeId : !early && turn.nextAt > now()) return false
      tables.turns.set(duty, { ...turn, holder: nodeId, expiresAt: now() + ttlMs })
      return true
    },
    endTurn: (duty, nodeId, nextInMs) => {
      const turn = tables.turns.get(duty)
      if (turn?.holder === nodeId) Object.assign(turn, { holder: undefined, nextAt: now() + nextInMs })
    },
    rules: (tenant, after, limit) =>
      [...tables.retentionRules.values()]
        .filter((rule) => rule.tenant === tenant && (after === undefined || placeOf(rule) > placeOf(after)))
        .sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
        .slice(0, limit),
    saveRule: (name, rule) => {
      const key = keyOf(name.tenant, name.subject, name.aspect)
      const createdAt = tables.retentionRules.get(key)?.createdAt ?? now()
      if (rule === undefined) tables.retentionRules.delete(key)
      else tables.retentionRules.set(key, { ...name, ...rule, createdAt })
    },
    expired: (request) => {
      if (!keepTurn(request.nodeId, request.ttlMs)) return undefined
      const over = [...tables.instances.values()]
        .filter((row) => mayGo(database, row, request))
        .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
        .slice(0, request.limit)
      let rows = 0
      const batch = over.filter((row, index) => {
        rows += row.lastSeq
        return index === 0 || rows <= request.rows
      })
      const expired = batch.map(({ tenant, id, lastSeq }) => ({ tenant, instanceId: id, rows: lastSeq }))
      return { examined: over.length, expired, waiting: 0 }
    },
    remove: (request, instanceIds) => {
      if (!keepTurn(request.nodeId, request.ttlMs)) return undefined
      const going = instanceIds
        .flatMap((id) => tables.instances.get(id) ?? [])
        .filter((row) => mayGo(database, row, request))
      let [rows, incidents] = [0, 0]
      for (const { id } of going) {
        const erased = eraseInstance(database, id)
        rows += erased.rows
        incidents += erased.incidents
      }
      return { instances: going.length, rows, incidents }
    },
    trim: (nodeId, ttlMs, incidentsMs, limit) => {
      if (!keepTurn(nodeId, ttlMs)) return undefined
      const events = [...tables.events.entries()]
        .filter(([, row]) => row.settled && row.expiresAt <= now())
        .slice(0, limit)
      for (const [key] of events) tables.events.delete(key)
      const old = now() - 3_600_000
      const flushes = [...tables.flushes.entries()]
        .filter(([, row]) => !tables.nodes.has(row.nodeId) && row.at < old)
        .slice(0, limit)
      for (const [key] of flushes) tables.flushes.delete(key)
      const resolved = [...tables.incidents.values()]
        .filter((row) => row.resolvedAt !== undefined && row.resolvedAt <= now() - incidentsMs)
        .slice(0, limit)
      for (const { id } of resolved) tables.incidents.delete(id)
      return { events: events.length, flushes: flushes.length, incidents: resolved.length }
    },
    examine: (area, after, limit) => {
      const rows = examinations[area](database).sort((a, b) => (a.place < b.place ? -1 : 1))
      const page = rows.filter((row) => after === undefined || row.place > after).slice(0, limit)
      const next = page.length < limit ? undefined : page.at(-1)?.place
      return { looked: page.length, next, broken: page.flatMap((row) => row.broken) }
    },
    repair: (nodeId, code, rows) => repairs(database, nodeId, code, rows),
    standing: (tenant, instanceId) => instanceStanding(database, tenant, instanceId),
  }
}

const placeOf = ({ subject, aspect }: { readonly subject: string; readonly aspect: string }): string =>
  keyOf(subject, aspect)

function mayGo(database: Database, row: InstanceTableRow, { keep }: SweepRequest): boolean {
  const { tables, now } = database
  const { id, tenant, definitionId, finishedAt, parentId } = row
  if (finishedAt === undefined || tables.agenda.has(id)) return false
  const rule = (subject: string, aspect: string) => tables.retentionRules.get(keyOf(tenant, subject, aspect))
  const subjects = [`instance:${id}`, `definition:${definitionId}`, '*']
  if (subjects.some((subject) => rule(subject, 'hold') !== undefined)) return false
  const parent = parentId === undefined ? undefined : tables.instances.get(parentId)
  if (parent !== undefined && parent.finishedAt === undefined) return false
  if ([...tables.scheduleRuns.values()].some((run) => run.instanceId === id && run.open)) return false
  const open = [...tables.incidents.values()].some(
    (incident) => incident.instanceId === id && incident.resolvedAt === undefined,
  )
  const ruleOf = (aspect: string) => rule(`definition:${definitionId}`, aspect) ?? rule('*', aspect)
  const isUnresolved = row.status === 'faulted' && open
  const asFaulted = isUnresolved && keep.unresolved === 'as faulted' && ruleOf('unresolved') === undefined
  const aspect = (isUnresolved && !asFaulted ? 'unresolved' : row.status) as KeptAs
  const found = ruleOf(aspect)
  const keepMs = found === undefined ? keep[aspect] : found.keepMs
  return typeof keepMs === 'number' && finishedAt + keepMs <= now()
}
