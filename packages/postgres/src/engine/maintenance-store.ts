import {
  type Area,
  Fenced,
  type FindingCode,
  type InstanceStanding,
  type KeepTimes,
  type KeptAs,
  type MaintenanceStore,
  type RetentionRule,
  type SweepRequest,
  type WantedState,
} from '@lockstep/engine/ports'
import type { Db, Lane } from '../db/db.ts'
import { sqlstateOf } from '../db/errors.ts'
import type { Statement } from '../db/statement.ts'
import { FENCED } from './fenced.ts'
import * as sql from './maintenance.sql.ts'
import * as examine from './maintenance-examine.sql.ts'
import * as stand from './maintenance-standing.sql.ts'

const DEFINITION = 'definition:'
const INSTANCE = 'instance:'
/** Of each list that explains an instance, and of each count. */
const MOST_LISTED = 20
const MOST_COUNTED = 1_000

export function postgresMaintenance(db: Db): MaintenanceStore {
  const lane = db.lane('api')
  return {
    takeTurn: async (duty, node, ttlMs, early) => (await lane.run(sql.takeTurn, { duty, node, ttlMs, early })) === 1,
    endTurn: async (duty, node, nextInMs) => {
      await lane.run(sql.endTurn, { duty, node, nextInMs })
    },
    rules: async (tenant, after, limit) =>
      (await lane.many(sql.rules, { tenant, subject: after?.subject ?? '', aspect: after?.aspect ?? '', limit })).map(
        toRule,
      ),
    saveRule: (name, rule) => saveRule(lane, name, rule),
    expired: async ({ limit, ...request }) => {
      const row = await lane.maybeOne(sql.expired, { ...toSweep(request), limit })
      return row && { examined: row.examined, waiting: row.waiting, expired: row.expired ?? [] }
    },
    remove: (request, instanceIds) => lane.maybeOne(sql.remove, { ...toSweep(request), ids: instanceIds }),
    trim: async (node, ttlMs, incidentsMs, limit) => {
      const trimmed = await lane.maybeOne(sql.trim, { node, ttlMs, incidentsMs, limit })
      if (trimmed !== undefined) await lane.run(sql.trimRevisions, { limit })
      return trimmed
    },
    examine: async (area, after, limit) => {
      const row = await lane.one(EXAMINATIONS[area], { after, limit })
      return {
        looked: row.looked,
        next: row.looked < limit ? undefined : (row.last ?? undefined),
        broken: (row.broken ?? []).map(({ present, ...each }) => ({
          ...each,
          code: each.code as FindingCode,
          instanceId: each.instanceId ?? undefined,
          ...(each.code === 'BOOKMARK_LOST' && { present: present ?? [] }),
        })),
      }
    },
    repair: async (node, code, rows) => {
      try {
        const [tenants, keys] = [rows.map((row) => row.tenant), rows.map((row) => row.key)]
        return (await lane.one(sql.repair, { node, code, tenants, keys })).mended
      } catch (error) {
        if (sqlstateOf(error) === FENCED) throw new Fenced({ nodeId: node }, { cause: error })
        throw error
      }
    },
    standing: (tenant, id) => standing(lane, tenant, id),
  }
}

const EXAMINATIONS: Record<Area, Statement<{ after: string | undefined; limit: number }, examine.ExaminedRow>> = {
  instances: examine.examineInstances,
  agenda: examine.examineAgenda,
  bookmarks: examine.examineBookmarks,
  inbox: examine.examineInbox,
  schedules: examine.examineSchedules,
}

const toSweep = ({ nodeId, ttlMs, keep, rows }: Omit<SweepRequest, 'limit'>) => ({
  node: nodeId,
  ttlMs,
  keep: JSON.stringify(toKeep(keep)),
  rows,
})

/** What is kept for ever has no word here, as from nodes that know of nothing else for unresolved ones; a word without a time says that they are as faulted ones. */
const toKeep = ({ unresolved, ...times }: KeepTimes) =>
  unresolved === 'as faulted' ? { ...times, 'unresolved as faulted': null } : { ...times, unresolved }

const toRule = (row: sql.RuleRow): RetentionRule => ({
  tenant: row.tenant,
  subject: row.subject,
  aspect: row.aspect as KeptAs | 'hold',
  keepMs: row.keep_ms ?? undefined,
  reason: row.reason ?? undefined,
  createdAt: row.created_at,
})

/** With the change goes the note that what it concerns must be looked at again. */
function saveRule(lane: Lane, ...[name, rule]: Parameters<MaintenanceStore['saveRule']>): Promise<void> {
  const { tenant, subject } = name
  return lane.transaction(async (tx) => {
    await tx.run(sql.lockTurn, { duty: 'retention' })
    if (rule === undefined) await tx.run(sql.dropRule, name)
    else await tx.run(sql.saveRule, { ...name, ...rule })
    if (subject.startsWith(INSTANCE)) await tx.run(sql.recheckOne, { tenant, id: subject.slice(INSTANCE.length) })
    else {
      const definition = subject.startsWith(DEFINITION) ? subject.slice(DEFINITION.length) : ''
      await tx.run(sql.recheck, { tenant, definition })
    }
  })
}

async function standing(lane: Lane, tenant: string, id: string): Promise<InstanceStanding | undefined> {
  const row = await lane.maybeOne(stand.standing, { tenant, id, most: MOST_COUNTED })
  if (row === undefined) return undefined
  const most = MOST_LISTED
  const [bookmarks, children, incidents, nodes] = await Promise.all([
    lane.many(stand.standingBookmarks, { id, most }),
    lane.many(stand.standingChildren, { id, most }),
    lane.many(stand.standingIncidents, { id, most }),
    lane.many(stand.standingNodes, { most: MOST_COUNTED }),
  ])
  return {
    now: row.now,
    definitionId: row.definition_id,
    version: row.version,
    status: row.status,
    queue: row.queue,
    parentId: row.parent_id ?? undefined,
    createdAt: row.created_at,
    finishedAt: row.finished_at ?? undefined,
    lastSeq: row.last_seq ?? 0,
    agenda: toAgenda(row),
    owner:
      row.claimed_by === null
        ? undefined
        : {
            nodeId: row.claimed_by,
            name: row.owner_name ?? undefined,
            silentMs: row.owner_silent ?? undefined,
            doomed: row.owner_doomed ?? false,
          },
    bookmarks: bookmarks.map((each) => ({
      id: each.id,
      step: each.step,
      kind: each.kind,
      name: each.name,
      correlationId: each.correlation_id ?? undefined,
      expiresAt: each.expires_at ?? undefined,
      createdAt: each.created_at,
    })),
    children: children.map((each) => ({
      instanceId: each.id,
      definitionId: each.definition_id,
      step: each.parent_step,
      status: each.status,
      createdAt: each.created_at,
    })),
    messages: bounded(row.messages),
    incidents: incidents.map(({ opened_at: at, ...each }) => ({ ...each, step: each.step ?? undefined, at })),
    nodes: nodes.map(({ id: nodeId, name, silent, roles, wanted }) => ({
      ...{ nodeId, name, silentMs: silent, roles },
      wanted: wanted as WantedState,
    })),
  }
}

function toAgenda(row: stand.StandingRow): InstanceStanding['agenda'] {
  if (row.due_at === null || row.claim_no === null) return undefined
  return {
    dueAt: row.due_at,
    claimNo: row.claim_no,
    crashes: row.crashes ?? 0,
    stim: row.stim ?? 0,
    ahead: bounded(row.ahead ?? 0),
  }
}

const bounded = (count: number) => ({ value: Math.min(count, MOST_COUNTED), exact: count <= MOST_COUNTED })
