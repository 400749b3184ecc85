import { canonicalJson, type Json } from '@lockstep/base'
import {
  type BookmarkView,
  type BrowseStore,
  type HeldView,
  type HoldingStore,
  type LockWaiter,
  lockNameOf,
  type NodeState,
  type WantedState,
  workflowLockOf,
} from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import * as sql from './browse.sql.ts'
import * as bookmark from './browse-bookmark.sql.ts'
import { browseDefinitions } from './browse-definitions.ts'
import { browseInstances, countInstances } from './browse-instances.ts'
import * as named from './browse-named.sql.ts'
import * as standing from './browse-standing.sql.ts'
import { stretch } from './browse-stretch.ts'
import { toView } from './instance-reader.ts'
import { oldestDue, queues } from './queue.sql.ts'
import { toRun } from './schedule-store.ts'

export function postgresBrowse(db: Db): BrowseStore & HoldingStore {
  const lane = db.lane('api')

  return {
    instances: browseInstances(lane),
    instanceCounts: countInstances(lane),
    forks: async (tenant, of, from, limit) =>
      (await lane.many(sql.forks, { tenant, of, from, limit })).map((row) => toView(tenant, row)),
    definitions: browseDefinitions(lane),
    standings: async (tenant, ids) => {
      if (ids.length === 0) return []
      const [rows, triggers] = await Promise.all([
        lane.many(standing.definitionStandings, { tenant, ids }),
        lane.many(standing.definitionTriggers, { tenant, ids }),
      ])
      return rows.map(({ id, latest, differs, draft, document }) => ({
        ...{ id, latest },
        ahead: differs && (document === null || canonicalJson(draft as Json) !== canonicalJson(document as Json)),
        triggers: triggers
          .filter(({ definition_id: of }) => of === id)
          .map(({ kind, text, trigger }) => ({ kind, text, ...(kind === 'schedule' ? { when: trigger } : {}) })),
      }))
    },
    schedules: async (tenant, { definitionId, paused, text }, place, limit) => {
      const wanted = { tenant, from: place.from, limit, definitionId, paused, text }
      const [bound, list] = place.back
        ? [named.scheduleBoundDown, named.schedulesDown]
        : [named.scheduleBoundUp, named.schedulesUp]
      const page = await stretch(
        place,
        limit,
        () => lane.maybeOne(bound, wanted),
        (to) => lane.many(list, { ...wanted, to }),
        (to) => lane.one(named.scheduleCount, { ...wanted, to }),
      )
      const ids = page.rows.map(({ id }) => id)
      const latest = ids.length === 0 ? [] : await lane.many(named.latestRuns, { tenant, ids })
      const of = new Map(latest.map((row) => [row.schedule_id, row]))
      return { ...page, rows: page.rows.map((row) => toSchedule(row, of.get(row.id))) }
    },
    runs: async (tenant, id, { from, back = false }, limit) => {
      const rows = await lane.many(back ? sql.runsUp : sql.runsDown, { tenant, id, from, limit })
      const counted = from === undefined && rows.length === limit
      const count = counted ? (await lane.one(sql.runCount, { tenant, id, from, limit })).count : 0
      return {
        rows: (back ? rows.reverse() : rows).map(toRun),
        lookedTo: undefined,
        ...(counted ? { count: { value: Math.min(count, sql.LOOK_AT), exact: count <= sql.LOOK_AT } } : {}),
      }
    },
    bookmarks: async (tenant, { name, kind, correlationId, instanceId }, from, limit) => {
      const wanted = { tenant, name, kind, correlationId, from, limit }
      const page = await stretch(
        { from },
        limit,
        async () => (instanceId === undefined ? lane.maybeOne(bookmark.bookmarkBound, { from }) : undefined),
        (to) =>
          instanceId === undefined
            ? lane.many(bookmark.bookmarks, { ...wanted, to })
            : lane.many(bookmark.bookmarksOfInstance, { ...wanted, to, instanceId }),
      )
      return { ...page, rows: page.rows.map(toBookmark) }
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
    oldestDue: async () => {
      const { graphs, functions } = await lane.one(oldestDue)
      return { graphsMs: graphs ?? 0, functionsMs: functions ?? 0 }
    },
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
    lockLines: async (names) => {
      const lines = names.flatMap(linesOf)
      const rows = await lane.many(sql.lockLines, {
        names: lines.map(({ name }) => name),
        tenants: lines.map(({ tenant }) => tenant),
        keys: lines.map(({ key }) => key),
      })
      return new Map(rows.map(({ name, count }) => [name, count]))
    },
    lockWaits: async () =>
      (await lane.many(sql.lockWaits, {})).map(({ tenant, key, count, since }) => ({
        name: lockNameOf(tenant, key),
        instances: count,
        since,
      })),
    lockWaiters: async (limit) => {
      const rows = await lane.many(sql.lockWaiters, { limit })
      return { waiters: rows.flatMap(toLockWaiter), more: rows[0]?.is_cut === true }
    },
    holder: async (tenant, id) => {
      const row = await lane.maybeOne(sql.holder, { tenant, id })
      return row && toHeld(row)
    },
  }
}

const toLockWaiter = (row: sql.LockWaiterRow): readonly LockWaiter[] =>
  row.instance_id === null
    ? []
    : [
        {
          name: lockNameOf(row.tenant, row.key),
          instanceId: row.instance_id,
          definitionId: row.definition_id,
          step: row.step,
          since: row.since,
          isEndless: row.is_endless,
        },
      ]

const linesOf = (name: string) => {
  const lock = workflowLockOf(name)
  return lock === undefined ? [] : [{ name, ...lock }]
}

const toSchedule = (row: named.ScheduleListRow, latest: named.LatestRunRow | undefined) => ({
  tenant: row.tenant,
  id: row.id,
  document: row.document,
  revision: row.revision,
  definitionId: row.definition_id,
  owner: row.owner ?? undefined,
  paused: row.paused,
  dueAt: row.due_at ?? undefined,
  lastFiredAt: row.last_fired_at ?? undefined,
  lastRun: latest && toRun(latest),
  lately: { runs: latest?.runs ?? 0, late: latest?.late_ones ?? 0, skipped: latest?.skipped ?? 0 },
})

const toBookmark = (row: bookmark.BookmarkRow): BookmarkView => ({
  id: row.id,
  instanceId: row.instance_id,
  definitionId: row.definition_id,
  step: row.step,
  kind: row.kind,
  name: row.name,
  correlationId: row.correlation_id ?? undefined,
  createdAt: row.created_at,
  expiresAt: row.expires_at ?? undefined,
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
