import {
  type AgendaStore,
  type Claim,
  type ClaimRequest,
  Fenced,
  type Inbox,
  isReadableSnapshot,
  type LoadedInstance,
  type Taker,
} from '@lockstep/engine/ports'
import type { Database } from './database.ts'
import type { Synchronous } from './synchronous.ts'
import type { AgendaTableRow, InstanceTableRow } from './tables.ts'

export function agendaTransactions(database: Database): Synchronous<AgendaStore> {
  const { tables } = database
  const turn: Turn = { after: '' }
  return {
    claim: (request) => claim(database, request, turn),
    claims: (nodeId) =>
      [...tables.agenda.values()].filter((row) => row.claimedBy === nodeId).map((row) => toClaim(database, row)),
    load: (ids) =>
      unique(ids)
        .flatMap((id) => tables.instances.get(id) ?? [])
        .map((instance) => toLoaded(database, instance)),
    inbox: (ids) =>
      unique(ids)
        .flatMap((id) => tables.agenda.get(id) ?? [])
        .map((row) => toInbox(database, row)),
    release: (nodeId, ids) => {
      for (const id of ids) {
        const row = tables.agenda.get(id)
        if (row?.claimedBy !== nodeId) continue
        row.claimedBy = undefined
        row.crashes = Math.max(row.crashes - 1, 0)
      }
    },
  }
}

/** Whose new starts were claimed last, by this node. */
interface Turn {
  after: string
}

/** Due and running before, due and new, due soon; the oldest of each first, and tenants in turn where they are new. A node that is gone is refused, if there was anything to take. */
function claim(database: Database, request: ClaimRequest, turn: Turn): Claim[] {
  const { tables } = database
  const now = database.now()
  const latest = now + request.aheadMs
  const earliest = request.floorMs === undefined ? Number.NEGATIVE_INFINITY : now - request.floorMs
  const free = [...tables.agenda.values()].filter(
    (row) => row.claimedBy === undefined && row.dueAt <= latest && row.dueAt >= earliest,
  )
  const mine = free.filter((row) => request.queues.includes(row.queue)).sort((a, b) => a.dueAt - b.dueAt)
  const places = inTurn(
    mine.filter((row) => row.claimNo === 0),
    turn.after,
  )
  const placeOf = (row: AgendaTableRow): number => places.get(row) ?? 0
  const ranked = mine.sort((a, b) => rank(a, now) - rank(b, now) || placeOf(a) - placeOf(b))
  const fresh = new Set(ranked.filter((row) => row.claimNo === 0).slice(request.newLimit ?? request.limit))
  const taken = ranked.filter((row) => !fresh.has(row)).slice(0, request.limit)
  turn.after = taken.findLast((row) => places.has(row))?.tenant ?? turn.after
  if (taken.length > 0 && !tables.nodes.has(request.nodeId)) {
    throw new Fenced({ nodeId: request.nodeId })
  }
  return hand(database, taken.filter(readableBy(database, request.nodeId)), request.nodeId)
}

/** What the first fact asks for, against what the node said when it joined. */
function readableBy({ tables }: Database, nodeId: string): (row: AgendaTableRow) => boolean {
  const known = tables.nodes.get(nodeId)?.stateFormat ?? 1
  return ({ instanceId }) => {
    const first = tables.journal.get(instanceId)?.find((row) => row.seq === 1)
    return ((first && (JSON.parse(first.data) as { format?: number }).format) ?? 1) <= known
  }
}

/** Claims these where nobody has them, for whoever has just made them due. A node that is gone gets none. */
export function take(database: Database, { nodeId, queues }: Taker, ids: readonly string[]): Claim[] {
  const { tables } = database
  if (!tables.nodes.has(nodeId)) return []
  const rows = ids
    .flatMap((id) => tables.agenda.get(id) ?? [])
    .filter((row) => row.claimedBy === undefined && row.dueAt <= database.now() && queues.includes(row.queue))
    .filter(readableBy(database, nodeId))
  return hand(database, rows, nodeId)
}

function hand(database: Database, rows: readonly AgendaTableRow[], nodeId: string): Claim[] {
  for (const row of rows) {
    row.claimedBy = nodeId
    row.claimNo += 1
    row.crashes += 1
    database.tables.history.push({ kind: 'claimed', instanceId: row.instanceId, claimNo: row.claimNo, nodeId })
  }
  return rows.map((row) => toClaim(database, row))
}

/** Places of rows, one of each tenant after the other, from the tenant after this one on. */
function inTurn(rows: readonly AgendaTableRow[], after: string): ReadonlyMap<AgendaTableRow, number> {
  const tenants = [...new Set(rows.map((row) => row.tenant))].sort()
  const ring = [...tenants.filter((tenant) => tenant > after), ...tenants.filter((tenant) => tenant <= after)]
  const counts = new Map<string, number>()
  return new Map(
    rows.map((row) => {
      const nth = counts.get(row.tenant) ?? 0
      counts.set(row.tenant, nth + 1)
      return [row, nth * ring.length + ring.indexOf(row.tenant)]
    }),
  )
}

function rank({ dueAt, claimNo }: AgendaTableRow, now: number): number {
  return (dueAt > now ? 2 : 0) + (claimNo === 0 ? 1 : 0)
}

function toClaim(database: Database, row: AgendaTableRow): Claim {
  return {
    tenant: row.tenant,
    instanceId: row.instanceId,
    claimNo: row.claimNo,
    stim: row.stim,
    crashes: row.crashes,
    dueInMs: row.dueAt - database.now(),
  }
}

function toLoaded({ tables }: Database, instance: InstanceTableRow): LoadedInstance {
  const stored: unknown = instance.snapshot === undefined ? null : JSON.parse(instance.snapshot)
  const isKnown = isReadableSnapshot(stored)
  const snapshotSeq = isKnown ? instance.snapshotSeq : 0
  const facts = (tables.journal.get(instance.id) ?? []).filter((row) => row.seq > snapshotSeq)
  const open = [...tables.bookmarks.values()].filter((bookmark) => bookmark.instanceId === instance.id)
  return {
    tenant: instance.tenant,
    instanceId: instance.id,
    definitionId: instance.definitionId,
    version: instance.version,
    correlationId: instance.correlationId,
    parentId: instance.parentId,
    parentStep: instance.parentStep,
    status: instance.status,
    snapshot: isKnown ? stored : null,
    snapshotSeq,
    snapshotAt: isKnown ? instance.snapshotAt : undefined,
    facts: facts
      .sort((a, b) => a.seq - b.seq)
      .map((row) => ({ seq: row.seq, kind: row.kind, data: JSON.parse(row.data), at: row.at })),
    openBookmarks: open.map(({ id, step, hash }) => ({ id, step, hash })),
    stim: tables.agenda.get(instance.id)?.stim ?? 0,
  }
}

function toInbox({ tables }: Database, row: AgendaTableRow): Inbox {
  return {
    instanceId: row.instanceId,
    stim: row.stim,
    messages: (tables.inbox.get(row.instanceId) ?? []).map((message) => ({
      id: String(message.id),
      kind: message.kind,
      bookmarkId: message.bookmarkId,
      step: message.step,
      payload: JSON.parse(message.payload),
    })),
  }
}

const unique = (ids: readonly string[]): string[] => [...new Set(ids)]
