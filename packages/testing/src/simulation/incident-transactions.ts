import { groupBy } from '@lockstep/base'
import type { Incident, IncidentStore } from '@lockstep/engine/ports'
import type { Database } from './database.ts'
import { putMessage, stimulate } from './stimulate.ts'
import type { Synchronous } from './synchronous.ts'
import type { IncidentTableRow } from './tables.ts'

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
    groups: (tenant, definitionId, limit) =>
      [...groupBy(open(tenant), (row) => row.fingerprint)]
        .map(([fingerprint, rows]) => {
          const { code, message, step, definitionId: of } = toIncident(database, rows[0]!)
          return {
            ...{ fingerprint, definitionId: of, code, step, message, open: rows.length },
            instances: new Set(rows.map((row) => row.instanceId)).size,
            firstAt: Math.min(...rows.map((row) => row.openedAt)),
            lastAt: Math.max(...rows.map((row) => row.openedAt)),
          }
        })
        .filter((group) => definitionId === undefined || group.definitionId === definitionId)
        .sort((a, b) => b.open - a.open || (a.fingerprint < b.fingerprint ? -1 : 1))
        .slice(0, limit),
    countOpen: (tenant) => ({ value: open(tenant).length, exact: true }),
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

function toIncident({ tables }: Database, row: IncidentTableRow): Incident {
  const instance = tables.instances.get(row.instanceId)
  const { definitionId = '', version = 0, status = 'deleted' } = instance ?? {}
  return { ...row, definitionId, version, status }
}
