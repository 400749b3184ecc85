import { groupBy } from '@lockstep/base'
import type { InstanceReader, InstanceView } from '@lockstep/engine/ports'
import type { Db, Lane } from '../db/db.ts'
import * as sql from './instance.sql.ts'

export function postgresInstances(db: Db): InstanceReader {
  const lane = db.lane('api')
  return {
    get: async (tenant, id) => {
      const row = await lane.maybeOne(sql.one, { tenant, id })
      return row && (await toViews(lane, tenant, [row]))[0]
    },
    stamped: async (tenant, id) => {
      const row = await lane.maybeOne(sql.stampedOne, { tenant, id })
      if (row === undefined) return undefined
      const [view] = await toViews(lane, tenant, [row])
      return { view: view!, stamp: row.stamp }
    },
    stamps: async (tenant, ids) =>
      new Map((await lane.many(sql.stamps, { tenant, ids })).map((row) => [row.id, row.stamp])),
    statuses: async (tenant, ids) =>
      new Map((await lane.many(sql.statuses, { tenant, ids })).map((row) => [row.id, row.status])),
    journal: async (tenant, id, after, limit) =>
      (await lane.many(sql.journal, { tenant, id, after, limit })).map((row) => ({
        seq: row.seq,
        kind: row.kind,
        data: row.data,
        at: row.at,
        nodeId: row.node_id,
        claimNo: row.claim_no,
        position: row.pos,
      })),
    list: async (tenant, { before, definitionId, status }, limit) =>
      toViews(lane, tenant, await lane.many(sql.list, { tenant, before, definitionId, status, limit })),
  }
}

export async function toViews(lane: Lane, tenant: string, rows: readonly sql.ViewRow[]): Promise<InstanceView[]> {
  const ids = rows.map((row) => row.id)
  const [waiting, incidents] = await Promise.all([lane.many(sql.waiting, { ids }), lane.many(sql.incidents, { ids })])
  const waitingOf = groupBy(waiting, (row) => row.instance_id)
  const incidentsOf = groupBy(incidents, (row) => row.instance_id)
  return rows.map((row) => ({
    tenant,
    id: row.id,
    definitionId: row.definition_id,
    version: row.version,
    status: row.status,
    correlationId: row.correlation_id ?? undefined,
    parentId: row.parent_id ?? undefined,
    input: row.started?.input ?? null,
    output: row.ended?.output ?? null,
    error: row.ended?.error ?? null,
    createdAt: row.created_at,
    finishedAt: row.finished_at ?? undefined,
    nodeId: row.claimed_by ?? undefined,
    dueAt: row.due_at ?? undefined,
    waitingFor: (waitingOf.get(row.id) ?? []).map((b) => ({
      bookmarkId: b.id,
      kind: b.kind,
      name: b.name,
      expiresAt: b.expires_at ?? undefined,
    })),
    incidents: (incidentsOf.get(row.id) ?? []).map((each) => ({
      id: each.id,
      code: each.code,
      message: each.message,
      step: each.step ?? undefined,
      at: each.opened_at,
    })),
    revision: row.revision,
  }))
}
