import type { InstanceReader, InstanceView, JournalOutline } from '@lockstep/engine/ports'
import type { Database } from './database.ts'
import type { Synchronous } from './synchronous.ts'
import type { InstanceTableRow, JournalTableRow } from './tables.ts'

export function instanceQueries(database: Database): Synchronous<InstanceReader> {
  const { tables } = database
  const find = (tenant: string, id: string): InstanceTableRow | undefined => {
    const found = tables.instances.get(id)
    return found?.tenant === tenant ? found : undefined
  }
  return {
    get: (tenant, id) => {
      const found = find(tenant, id)
      return found && toView(database, found)
    },
    stamped: (tenant, id) => {
      const found = find(tenant, id)
      return found && { view: toView(database, found), stamp: stampOf(database, found) }
    },
    stamps: (tenant, ids) =>
      new Map(ids.flatMap((id) => find(tenant, id) ?? []).map((row) => [row.id, stampOf(database, row)])),
    statuses: (tenant, ids) => new Map(ids.flatMap((id) => find(tenant, id) ?? []).map((row) => [row.id, row.status])),
    journal: (tenant, id, afterSeq, limit) =>
      (tables.journal.get(id) ?? [])
        .filter((row) => row.tenant === tenant && row.seq > afterSeq)
        .sort((a, b) => a.seq - b.seq)
        .slice(0, limit)
        .map((row) => ({
          seq: row.seq,
          kind: row.kind,
          data: JSON.parse(row.data),
          at: row.at,
          nodeId: row.nodeId,
          claimNo: row.claimNo,
          position: String(row.position),
        })),
    outline: (tenant, id, afterSeq, limit) =>
      (tables.journal.get(id) ?? [])
        .filter((row) => row.tenant === tenant && row.seq > afterSeq)
        .sort((a, b) => a.seq - b.seq)
        .slice(0, limit)
        .map(toOutline),
    list: (tenant, { before, definitionId, status }, limit) =>
      [...tables.instances.values()]
        .filter((row) => row.tenant === tenant && (before === undefined || row.id < before))
        .filter(
          (row) =>
            (definitionId === undefined || row.definitionId === definitionId) &&
            (status === undefined || row.status === status),
        )
        .sort((a, b) => (a.id < b.id ? 1 : -1))
        .slice(0, limit)
        .map((row) => toView(database, row)),
  }
}

function toOutline({ seq, kind, at, nodeId, data: text }: JournalTableRow): JournalOutline {
  const data = JSON.parse(text)
  return {
    seq,
    kind,
    at,
    step: data.step,
    outcome: data.outcome,
    outcomes: data.outcomes,
    error: data.error && {
      code: data.error.code,
      message: data.error.message,
      ...(data.error.step && { step: data.error.step }),
    },
    nodeId,
    attempt: data.attempt,
    waitKind: data.wait?.kind,
    waitName: data.wait?.name,
    childId: data.wait?.instanceId,
    waitMs: data.wait?.ms ?? data.wait?.timeoutMs,
    waitUntil: data.wait?.at,
    delayMs: data.delayMs,
    status: data.status,
    toSeq: data.toSeq,
    mapping: data.mapping,
  }
}

function stampOf(database: Database, row: InstanceTableRow): string {
  const { claimNo, stim } = database.tables.agenda.get(row.id) ?? {}
  const lastPosition = Math.max(0, ...(database.tables.journal.get(row.id) ?? []).map((fact) => Number(fact.position)))
  return JSON.stringify([toView(database, row), claimNo, stim, lastPosition])
}

function toView(database: Database, row: InstanceTableRow): InstanceView {
  const { tables } = database
  const journal = tables.journal.get(row.id) ?? []
  const agenda = tables.agenda.get(row.id)
  const ended = row.finishedAt === undefined ? undefined : dataOf(journal.find((fact) => fact.seq === row.lastSeq))
  return {
    tenant: row.tenant,
    id: row.id,
    definitionId: row.definitionId,
    version: row.version,
    status: shownStatus(database, row),
    correlationId: row.correlationId,
    parentId: row.parentId,
    input: dataOf(journal.find((fact) => fact.seq === 1))?.input ?? null,
    output: ended?.output ?? null,
    error: ended?.error ?? null,
    createdAt: row.createdAt,
    finishedAt: row.finishedAt,
    nodeId: agenda?.claimedBy,
    dueAt: agenda?.dueAt,
    waitingFor: [...tables.bookmarks.values()]
      .filter((bookmark) => bookmark.instanceId === row.id)
      .sort((a, b) => a.createdAt - b.createdAt)
      .map(({ id, kind, name, expiresAt }) => ({ bookmarkId: id, kind, name, expiresAt })),
    incidents: [...tables.incidents.values()]
      .filter((incident) => incident.instanceId === row.id && incident.resolvedAt === undefined)
      .sort((a, b) => a.openedAt - b.openedAt)
      .map(({ id, code, message, step, openedAt }) => ({ id, code, message, step, at: openedAt })),
    revision: Math.max(0, ...journal.map((fact) => fact.seq)),
  }
}

/** `running` while somebody has it and it is due; the stored status is as of its last rest. */
export function shownStatus({ tables, now }: Database, row: InstanceTableRow): string {
  const agenda = tables.agenda.get(row.id)
  const rests = row.finishedAt === undefined && (row.status === 'queued' || row.status === 'suspended')
  return rests && agenda?.claimedBy !== undefined && agenda.dueAt <= now() ? 'running' : row.status
}

function dataOf(
  row: JournalTableRow | undefined,
): { readonly input?: unknown; readonly output?: unknown; readonly error?: unknown } | undefined {
  return row && JSON.parse(row.data)
}
