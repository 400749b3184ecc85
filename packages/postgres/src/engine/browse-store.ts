import type { BrowseStore, HeldView, InstanceFilter, NodeState, Page, Place, WantedState } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import * as sql from './browse.sql.ts'
import * as named from './browse-named.sql.ts'
import { toView } from './instance-reader.ts'
import { queues } from './queue.sql.ts'
import { toRun } from './schedule-store.ts'

export function postgresBrowse(db: Db): BrowseStore {
  const lane = db.lane('api')

  return {
    instances: async (tenant, filter, place, limit) => {
      const from = place.back ? place.from : earlier(place.from, firstTooLate(filter))
      const [bound, list] = place.back
        ? [sql.instanceBoundUp, sql.instancesUp]
        : [sql.instanceBoundDown, sql.instancesDown]
      const wanted = { tenant, from, limit, ...instanceParams(filter) }
      const page = await stretch(
        place,
        limit,
        () => lane.maybeOne(bound, { from }),
        (to) => lane.many(list, { ...wanted, to }),
      )
      return { ...page, rows: page.rows.map((row) => toView(tenant, row)) }
    },
    definitions: async (tenant, { namePrefix, kind, published }, place, limit) => {
      const wanted = { tenant, from: place.from, limit, namePrefix, kind, published }
      const [bound, list] = place.back
        ? [named.definitionBoundDown, named.definitionsDown]
        : [named.definitionBoundUp, named.definitionsUp]
      const page = await stretch(
        place,
        limit,
        () => lane.maybeOne(bound, wanted),
        (to) => lane.many(list, { ...wanted, to }),
      )
      return { ...page, rows: page.rows.map((row) => ({ ...row, published: row.published ?? undefined })) }
    },
    schedules: async (tenant, { definitionId, paused }, place, limit) => {
      const wanted = { tenant, from: place.from, limit, definitionId, paused }
      const [bound, list] = place.back
        ? [named.scheduleBoundDown, named.schedulesDown]
        : [named.scheduleBoundUp, named.schedulesUp]
      const page = await stretch(
        place,
        limit,
        () => lane.maybeOne(bound, wanted),
        (to) => lane.many(list, { ...wanted, to }),
      )
      return { ...page, rows: page.rows.map(toSchedule) }
    },
    runs: async (tenant, id, { from, back = false }, limit) => {
      const rows = await lane.many(back ? sql.runsUp : sql.runsDown, { tenant, id, from, limit })
      return { rows: (back ? rows.reverse() : rows).map(toRun), lookedTo: undefined }
    },
    nodes: async () =>
      (await lane.many(sql.nodes)).map((row) => ({
        id: row.id,
        name: row.name,
        version: row.version,
        startedAt: row.started_at,
        beatAt: row.beat_at,
        silentMs: Math.round(row.silent_ms),
        doomed: row.doomed,
        holds: row.holds,
        roles: row.roles,
        state: row.state as NodeState,
        wanted: row.wanted as WantedState,
        capacity: row.capacity,
        held: row.held,
        skewMs: row.skew_ms ?? undefined,
      })),
    queues: async () =>
      (await lane.many(queues)).map((row) => ({
        name: row.name,
        due: row.due,
        oldestDueAt: row.oldest_due_at ?? undefined,
        later: row.later,
        nextDueAt: row.next_due_at ?? undefined,
      })),
    held: async (tenant, place, limit) => {
      const wanted = { tenant, from: place.from, limit }
      const [bound, list] = place.back ? [sql.heldBoundDown, sql.heldDown] : [sql.heldBoundUp, sql.heldUp]
      const page = await stretch(
        place,
        limit,
        () => lane.maybeOne(bound, wanted),
        (to) => lane.many(list, { ...wanted, to }),
      )
      return { ...page, rows: page.rows.map(toHeld) }
    },
    holder: async (tenant, id) => {
      const row = await lane.maybeOne(sql.holder, { tenant, id })
      return row && toHeld(row)
    },
  }
}

/** Finds out how far the search goes, then reads that far: rows that come and go meanwhile cannot make it skip any. */
async function stretch<Row>(
  place: Place,
  limit: number,
  bound: () => Promise<{ readonly id: string } | undefined>,
  list: (to: string | undefined) => Promise<Row[]>,
): Promise<Page<Row>> {
  const edge = await bound()
  const rows = await list(edge?.id)
  return { rows: place.back === true ? rows.reverse() : rows, lookedTo: rows.length < limit ? edge?.id : undefined }
}

const date = (at: number | undefined): Date | undefined => (at === undefined ? undefined : new Date(at))

function instanceParams({ created, finished, input = [], ...filter }: InstanceFilter) {
  return {
    definitionIds: filter.definitionIds,
    version: filter.version,
    statuses: filter.statuses,
    correlationId: filter.correlationId,
    parentId: filter.parentId,
    createdFrom: date(created?.from),
    createdUntil: date(created?.until),
    finishedFrom: date(finished?.from),
    finishedUntil: date(finished?.until),
    paths: input.length === 0 ? undefined : input.map(({ path }) => toPath(['input', ...path])),
    values: input.length === 0 ? undefined : input.map(({ value }) => value),
  }
}

/** The text of an SQL array. */
const toPath = (path: readonly string[]): string =>
  `{${path.map((name) => `"${name.replace(/["\\]/g, '\\$&')}"`).join(',')}}`

/** Clocks of nodes, by which ids are made, and that of the store, by which they are judged, do not differ by a day. */
const SKEW_MS = 86_400_000

/** An id is made before its instance: none of those wanted lies at or above this one. */
function firstTooLate({ created }: InstanceFilter): string | undefined {
  if (created?.until === undefined) return undefined
  const ms = Math.min(Math.max(0, created.until + SKEW_MS), 2 ** 48 - 1)
  const hex = ms.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

const earlier = (a: string | undefined, b: string | undefined): string | undefined =>
  a === undefined || (b !== undefined && b < a) ? b : a

const toSchedule = (row: named.ScheduleListRow) => ({
  tenant: row.tenant,
  id: row.id,
  document: row.document,
  revision: row.revision,
  definitionId: row.definition_id,
  owner: row.owner ?? undefined,
  paused: row.paused,
  dueAt: row.due_at ?? undefined,
  lastFiredAt: row.last_fired_at ?? undefined,
})

const toHeld = (row: sql.HeldRow): HeldView => ({
  instanceId: row.instance_id,
  definitionId: row.definition_id,
  nodeId: row.node_id,
  nodeName: row.node_name ?? undefined,
  claimNo: row.claim_no,
  doomed: row.doomed ?? true,
  silentMs: row.silent_ms === null ? undefined : Math.round(row.silent_ms),
})
