import type { InstanceReader, InstanceView, JournalOutline } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import { gatherReads } from './gather-reads.ts'
import * as sql from './instance.sql.ts'

export function postgresInstances(db: Db): InstanceReader {
  const lane = db.lane('api')
  const stampedOf = perTenant((tenant) =>
    gatherReads(async (ids) => {
      const rows = await lane.many(sql.stamped, { tenant, ids })
      return new Map(rows.map((row) => [row.id, { view: toView(tenant, row), stamp: row.stamp }]))
    }),
  )
  return {
    get: async (tenant, id) => {
      const row = await lane.maybeOne(sql.one, { tenant, id })
      return row && toView(tenant, row)
    },
    stamped: (tenant, id) => stampedOf(tenant)(id),
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
    outline: async (tenant, id, after, limit) =>
      (await lane.many(sql.outline, { tenant, id, after, limit })).map(toOutline),
    list: async (tenant, { before, definitionId, status }, limit) => {
      const rows = await lane.many(sql.list, { tenant, before, definitionId, status, limit })
      return rows.map((row) => toView(tenant, row))
    },
  }
}

const toOutline = (row: sql.OutlineRow): JournalOutline => ({
  seq: row.seq,
  kind: row.kind,
  at: row.at,
  step: row.step ?? undefined,
  outcome: row.outcome ?? undefined,
  outcomes: row.outcomes ?? undefined,
  error: errorOf(row),
  nodeId: row.node_id,
  attempt: row.attempt ?? undefined,
  waitKind: row.wait_kind ?? undefined,
  waitName: row.wait_name ?? undefined,
  childId: row.child_id ?? undefined,
  waitMs: row.wait_ms ?? undefined,
  waitUntil: row.wait_until ?? undefined,
  delayMs: row.delay_ms ?? undefined,
  status: row.status ?? undefined,
  toSeq: row.to_seq ?? undefined,
  mapping: row.mapping ?? undefined,
})

const errorOf = ({ error_code, error_message, error_step }: sql.OutlineRow): JournalOutline['error'] =>
  error_code === null
    ? undefined
    : { code: error_code, message: error_message ?? '', ...(error_step === null ? {} : { step: error_step }) }

const MOST_TENANTS = 1_000

function perTenant<T>(make: (tenant: string) => T): (tenant: string) => T {
  const known = new Map<string, T>()
  return (tenant) => {
    const found = known.get(tenant)
    if (found !== undefined) return found
    if (known.size >= MOST_TENANTS) known.clear()
    const made = make(tenant)
    known.set(tenant, made)
    return made
  }
}

export const toView = (tenant: string, row: sql.ViewRow): InstanceView => ({
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
  waitingFor: (row.waiting ?? []).map((each) => ({ ...each, expiresAt: each.expiresAt ?? undefined })),
  incidents: (row.incidents ?? []).map((each) => ({ ...each, step: each.step ?? undefined })),
  revision: row.revision,
})
