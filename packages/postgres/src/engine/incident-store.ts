import {
  HISTOGRAM_SLOT_MS,
  HISTOGRAM_SLOTS,
  type Incident,
  type IncidentFilter,
  type IncidentGroup,
  type IncidentHistogram,
  type IncidentStore,
} from '@lockstep/engine/ports'
import type { Db, Lane } from '../db/db.ts'
import * as sql from './incident.sql.ts'
import { unlessDeadlock } from './stimulus-store.ts'

/** Rows that a page, or a grouping, looks at. */
const LOOK_AT = 10_000
const GROUP_LOOK_AT = 20_000
const MOST_COUNTED = 1_000
const MOST_FORGOTTEN = 20
/** The last that were resolved, of all tenants. */
const RESOLVED_LOOK_AT = 500
/** Runs before a version was published. */
const RUNS_LOOK_AT = 200

const bounds = { lookAt: GROUP_LOOK_AT, slots: HISTOGRAM_SLOTS, slotMs: HISTOGRAM_SLOT_MS, runs: RUNS_LOOK_AT }

export function postgresIncidents(db: Db): IncidentStore {
  const lane = db.lane('api')
  return {
    list: async (tenant, filter, before, limit) => {
      const rows = await page(lane, tenant, filter, before, limit)
      const incidents = rows.flatMap((row) => (row.id === null ? [] : [toIncident(tenant, row as sql.IncidentRow)]))
      const last = rows[0]?.last ?? undefined
      if (incidents.length < limit) return { incidents, next: last }
      return { incidents, next: incidents.at(-1)?.id, ...(await counted(lane, tenant, filter, before)) }
    },
    get: async (tenant, id) => {
      const row = await lane.maybeOne(sql.one, { tenant, id })
      return row && toIncident(tenant, row)
    },
    groups: async (tenant, { fingerprint, ...filter }, limit) => {
      const wanted = { tenant, ...filter, ...bounds, limit }
      const rows =
        fingerprint === undefined
          ? await lane.many(sql.groups, wanted)
          : await lane.many(sql.group, { ...wanted, fingerprint })
      return rows.map(toGroup)
    },
    tend: async (tending) => {
      const { tenant, fingerprint } = tending
      if ((await lane.maybeOne(sql.tend, tending)) === undefined) return false
      await lane.run(sql.forgetCare, { tenant, fingerprint, limit: MOST_FORGOTTEN })
      return true
    },
    countOpen: async (tenant) => {
      const { count } = await lane.one(sql.countOpen, { tenant, most: MOST_COUNTED + 1 })
      return { value: Math.min(count, MOST_COUNTED), exact: count <= MOST_COUNTED }
    },
    lastResolved: async (tenant) => {
      const row = await lane.maybeOne(sql.lastResolved, { tenant, lookAt: RESOLVED_LOOK_AT })
      return row && toIncident(tenant, row)
    },
    resolve: async ({ tenant, incidentId: id, resolution, note, message }) => {
      const { kind, payload } = message ?? {}
      const row = await unlessDeadlock(() => lane.one(sql.resolve, { tenant, id, resolution, note, kind, payload }))
      if (row.outcome === 'resolved') return { kind: 'resolved', instanceId: row.instance ?? '' }
      if (row.outcome === 'wrong-state') return { kind: 'wrong-state', status: row.detail ?? 'deleted' }
      return { kind: row.outcome === 'already-resolved' ? 'already-resolved' : 'not-found' }
    },
  }
}

function page(
  lane: Lane,
  tenant: string,
  filter: IncidentFilter,
  before: string | undefined,
  limit: number,
): Promise<readonly sql.PageRow[]> {
  const { definitionId, code, fingerprint, instanceId, state } = filter
  const asked = { tenant, before, definitionId, code, fingerprint, limit, lookAt: LOOK_AT }
  if (instanceId !== undefined) return ofInstance(lane, { ...asked, instanceId }, state)
  const statement = state === 'open' ? sql.listOpen : state === 'resolved' ? sql.listResolved : sql.listAll
  return lane.many(statement, asked)
}

/** With the first page only; those of an instance are few, and not counted. */
async function counted(lane: Lane, tenant: string, filter: IncidentFilter, before: string | undefined) {
  const { definitionId, code, fingerprint, instanceId, state } = filter
  if (before !== undefined || instanceId !== undefined) return {}
  const statement = state === 'open' ? sql.countOpenOf : state === 'resolved' ? sql.countResolved : sql.countAll
  const asked = { tenant, before, definitionId, code, fingerprint, limit: 0, lookAt: LOOK_AT }
  const { count, looked } = await lane.one(statement, asked)
  return { count: { value: count, exact: looked < LOOK_AT } }
}

/** An instance has few. */
async function ofInstance(
  lane: Lane,
  asked: Parameters<typeof sql.listOfInstance.bind>[0],
  state: IncidentFilter['state'],
): Promise<readonly sql.PageRow[]> {
  const rows = await lane.many(sql.listOfInstance, asked)
  return state === undefined ? rows : rows.filter((row) => (row.resolved_at === null) === (state === 'open'))
}

const toIncident = (tenant: string, row: sql.IncidentRow): Incident => ({
  tenant,
  id: row.id,
  instanceId: row.instance_id,
  definitionId: row.definition_id ?? '',
  version: row.version ?? 0,
  status: row.status ?? 'deleted',
  step: row.step ?? undefined,
  fingerprint: row.fingerprint,
  code: row.code,
  message: row.message,
  openedAt: row.opened_at,
  resolvedAt: row.resolved_at ?? undefined,
  resolution: row.resolution ?? undefined,
  note: row.note ?? undefined,
})

const toGroup = (row: sql.GroupRow): IncidentGroup => ({
  fingerprint: row.fingerprint,
  definitionId: row.definition_id ?? '',
  code: row.code,
  step: row.step ?? undefined,
  message: row.message,
  open: row.open,
  instances: row.instances,
  firstAt: row.first_at,
  lastAt: row.last_at,
  firstVersion: row.first_version ?? 0,
  lastVersion: row.last_version ?? 0,
  cleanVersion: row.clean_version ?? undefined,
  histogram: toHistogram(row),
  acknowledgedAt: row.acknowledged_at ?? undefined,
  acknowledgedBy: row.acknowledged_by ?? undefined,
  assignee: row.assignee ?? undefined,
  mutedUntil: row.muted_until ?? undefined,
  note: row.note ?? undefined,
})

function toHistogram({ from_ms, slot_ms, slots, counts: found }: sql.GroupRow): IncidentHistogram {
  const counts = new Array<number>(HISTOGRAM_SLOTS).fill(0)
  for (const [index, slot] of (slots ?? []).entries()) counts[slot] = found?.[index] ?? 0
  return { from: from_ms, slotMs: slot_ms, counts }
}
