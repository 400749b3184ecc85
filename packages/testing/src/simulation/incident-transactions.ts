import { groupBy } from '@lockstep/base'
import {
  HISTOGRAM_SLOT_MS,
  HISTOGRAM_SLOTS,
  type Incident,
  type IncidentHistogram,
  type IncidentStore,
} from '@lockstep/engine/ports'
import type { Database } from './database.ts'
import { putMessage, stimulate } from './stimulate.ts'
import type { Synchronous } from './synchronous.ts'
import { type IncidentCareTableRow, type IncidentTableRow, keyOf } from './tables.ts'

export function incidentTransactions(database: Database): Synchronous<IncidentStore> {
  const { tables, now } = database
  const newest = (tenant: string): IncidentTableRow[] =>
    [...tables.incidents.values()].filter((row) => row.tenant === tenant).sort((a, b) => (a.id < b.id ? 1 : -1))
  const open = (tenant: string) => newest(tenant).filter((row) => row.resolvedAt === undefined)
  return {
    list: (tenant, filter, before, limit) => {
      const { state, definitionId, code, fingerprint, instanceId } = filter
      const fit = newest(tenant)
        .filter((row) => before === undefined || row.id < before)
        .filter((row) => state === undefined || (row.resolvedAt === undefined) === (state === 'open'))
        .map((row) => toIncident(database, row))
        .filter((row) => definitionId === undefined || row.definitionId === definitionId)
        .filter((row) => code === undefined || row.code === code)
        .filter((row) => fingerprint === undefined || row.fingerprint === fingerprint)
        .filter((row) => instanceId === undefined || row.instanceId === instanceId)
      const incidents = fit.slice(0, limit)
      return { incidents, next: incidents.length === limit ? incidents.at(-1)?.id : undefined }
    },
    get: (tenant, id) => {
      const row = tables.incidents.get(id)
      return row?.tenant === tenant ? toIncident(database, row) : undefined
    },
    groups: (tenant, { definitionId, fingerprint: only, muted }, limit) =>
      [...groupBy(open(tenant), (row) => row.fingerprint)]
        .map(([fingerprint, rows]) => {
          const { code, message, step, definitionId: of, version } = toIncident(database, rows[0]!)
          const firstAt = Math.min(...rows.map((row) => row.openedAt))
          return {
            ...{ fingerprint, definitionId: of, code, step, message, open: rows.length, firstAt },
            instances: new Set(rows.map((row) => row.instanceId)).size,
            lastAt: Math.max(...rows.map((row) => row.openedAt)),
            firstVersion: toIncident(database, rows.at(-1)!).version,
            lastVersion: version,
            cleanVersion: cleanVersion(database, rows),
            histogram: histogramOf(rows, now()),
            ...careOf(database, tables.incidentCare.get(keyOf(tenant, fingerprint)), firstAt, rows),
          }
        })
        .filter((group) => definitionId === undefined || group.definitionId === definitionId)
        .filter((group) => only === undefined || group.fingerprint === only)
        .filter((group) => muted === undefined || (group.mutedUntil !== undefined) === muted)
        .sort((a, b) => b.open - a.open || (a.fingerprint < b.fingerprint ? -1 : 1))
        .slice(0, limit),
    tend: ({ tenant, fingerprint, by, acknowledged, assignee, muteMs, note }) => {
      const alike = open(tenant).find((row) => row.fingerprint === fingerprint)
      if (alike === undefined) return false
      const before = tables.incidentCare.get(keyOf(tenant, fingerprint))
      const latest = tables.definitions.get(keyOf(tenant, toIncident(database, alike).definitionId))?.latest
      const at = now()
      const isMuted = typeof muteMs === 'number'
      tables.incidentCare.set(keyOf(tenant, fingerprint), {
        ...(before ?? NO_CARE),
        ...(acknowledged === undefined
          ? {}
          : { acknowledgedAt: acknowledged ? at : undefined, acknowledgedBy: acknowledged ? by : undefined }),
        ...(assignee === undefined
          ? {}
          : { assignedAt: assignee === null ? undefined : at, assignee: assignee ?? undefined }),
        ...(muteMs === undefined
          ? {}
          : {
              mutedAt: isMuted ? at : undefined,
              mutedUntil: isMuted ? at + muteMs : undefined,
              mutedVersion: isMuted ? latest : undefined,
            }),
        note,
      })
      return true
    },
    countOpen: (tenant) => ({ value: open(tenant).length, exact: true }),
    lastResolved: (tenant) => {
      const last = newest(tenant)
        .filter((row) => row.resolvedAt !== undefined)
        .sort((a, b) => b.resolvedAt! - a.resolvedAt!)[0]
      return last && toIncident(database, last)
    },
    resolve: ({ tenant, incidentId, resolution, note, message }) => {
      const row = tables.incidents.get(incidentId)
      if (row?.tenant !== tenant) return { kind: 'not-found' }
      if (row.resolvedAt !== undefined) return { kind: 'already-resolved' }
      const { instanceId, step } = row
      if (message !== undefined) {
        const instance = tables.instances.get(instanceId)
        if (instance === undefined || instance.finishedAt !== undefined)
          return { kind: 'wrong-state', status: instance?.status ?? 'deleted' }
        const rest = { bookmarkId: undefined, name: undefined, dedupeKey: undefined }
        putMessage(database, { instanceId, tenant, step, ...message, ...rest })
        stimulate(database, [instanceId])
      }
      Object.assign(row, { resolvedAt: now(), resolution, note })
      return { kind: 'resolved', instanceId }
    },
  }
}

const NO_CARE: IncidentCareTableRow = {
  ...{ acknowledgedAt: undefined, acknowledgedBy: undefined, assignedAt: undefined, assignee: undefined },
  ...{ mutedAt: undefined, mutedUntil: undefined, mutedVersion: undefined, note: undefined },
}

/** What was said of a group, as far as it holds. */
function careOf(
  database: Database,
  care: IncidentCareTableRow = NO_CARE,
  firstAt: number,
  rows: readonly IncidentTableRow[],
) {
  const { mutedAt = 0, mutedVersion = Number.POSITIVE_INFINITY } = care
  const isHeard = rows.some((row) => row.openedAt >= mutedAt && toIncident(database, row).version > mutedVersion)
  const isAcknowledged = care.acknowledgedAt !== undefined && care.acknowledgedAt >= firstAt
  const isAssigned = care.assignedAt !== undefined && care.assignedAt >= firstAt
  const isMuted = care.mutedUntil !== undefined && care.mutedUntil > database.now() && !isHeard
  return {
    acknowledgedAt: isAcknowledged ? care.acknowledgedAt : undefined,
    acknowledgedBy: isAcknowledged ? care.acknowledgedBy : undefined,
    assignee: isAssigned ? care.assignee : undefined,
    mutedUntil: isMuted ? care.mutedUntil : undefined,
    note: isAcknowledged || isAssigned || isMuted ? care.note : undefined,
  }
}

/** `rows`: open ones that are alike, newest first. */
function cleanVersion(database: Database, rows: readonly IncidentTableRow[]): number | undefined {
  const { tables } = database
  const [newest, oldest] = [toIncident(database, rows[0]!), toIncident(database, rows.at(-1)!)]
  const { tenant, definitionId, version, fingerprint } = oldest
  const { publishedAt = Number.NEGATIVE_INFINITY } = tables.versions.get(keyOf(tenant, definitionId, version)) ?? {}
  if (newest.version < version) return undefined
  const before = [...tables.instances.values()]
    .filter((run) => run.tenant === tenant && run.definitionId === definitionId)
    .filter((run) => run.version < version && run.createdAt <= publishedAt)
  const ids = new Set(before.map(({ id }) => id))
  if ([...tables.incidents.values()].some((row) => row.fingerprint === fingerprint && ids.has(row.instanceId)))
    return undefined
  const completed = before.filter(({ status }) => status === 'completed').map((run) => run.version)
  return completed.length === 0 ? undefined : Math.max(...completed)
}

function histogramOf(rows: readonly IncidentTableRow[], now: number): IncidentHistogram {
  const firstAt = Math.min(...rows.map(({ openedAt }) => openedAt))
  const spans = HISTOGRAM_SLOT_MS.map((slotMs) => ({
    slotMs,
    from: (Math.floor(now / slotMs) - HISTOGRAM_SLOTS + 1) * slotMs,
  }))
  const { from, slotMs } = spans.find((span) => firstAt >= span.from) ?? spans.at(-1)!
  const counts = new Array<number>(HISTOGRAM_SLOTS).fill(0)
  for (const { openedAt } of rows) {
    const slot = Math.floor((openedAt - from) / slotMs)
    if (slot >= 0) counts[slot]! += 1
  }
  return { from, slotMs, counts }
}

function toIncident({ tables }: Database, row: IncidentTableRow): Incident {
  const instance = tables.instances.get(row.instanceId)
  const { definitionId = '', version = 0, status = 'deleted' } = instance ?? {}
  return { ...row, definitionId, version, status }
}
