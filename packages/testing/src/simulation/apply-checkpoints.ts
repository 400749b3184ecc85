import type { CheckpointItem, Disposition } from '@lockstep/engine/ports'
import type { Database } from './database.ts'
import { putMessage, stimulate, takeKept } from './stimulate.ts'
import type { JournalTableRow } from './tables.ts'

/**
 * Writes checkpoints that were found fit, table by table in the order of migration 0003: what one item writes, a later
 * statement of the same batch sees. Answers how many instances got something to do.
 */
export function applyCheckpoints(
  database: Database,
  nodeId: string,
  items: readonly CheckpointItem[],
  at: number,
  nextPosition: () => bigint,
): number {
  for (const item of items) dispose(database, item.instanceId, item.then, at)
  for (const item of items) appendFacts(database, nodeId, item, at, nextPosition)
  for (const item of items) updateInstance(database, item, at)
  for (const item of items) consumeMessages(database, item)
  for (const item of items) closeBookmarks(database, item)
  for (const item of items) openIncidents(database, item, at)
  for (const item of items) {
    const row = database.tables.agenda.get(item.instanceId)
    if (item.survived && row?.claimedBy === nodeId) row.crashes = 1
  }
  for (const item of items) keepEvents(database, item, at)
  let woken = 0
  for (const item of items) if (tellParent(database, item)) woken += 1
  stimulate(
    database,
    items.flatMap((item) => (item.parent === undefined ? [] : [item.parent.instanceId])),
  )
  for (const item of items) openBookmarks(database, item, at)
  for (const { opens } of items) {
    for (const bookmark of opens) if (bookmark.kind === 'event' && takeKept(database, bookmark.id)) woken += 1
  }
  return woken
}

function dispose({ tables }: Database, instanceId: string, then: Disposition, at: number): void {
  if (then.kind === 'hold') return
  const dueAt =
    then.kind === 'suspend'
      ? earliest(then.dueAt, then.dueInMs === undefined ? undefined : at + then.dueInMs)
      : undefined
  const row = tables.agenda.get(instanceId)
  if (row === undefined || dueAt === undefined) {
    tables.agenda.delete(instanceId)
    return
  }
  row.claimedBy = undefined
  row.crashes = 0
  row.dueAt = dueAt
}

function earliest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)
}

function appendFacts(
  { tables }: Database,
  nodeId: string,
  item: CheckpointItem,
  at: number,
  nextPosition: () => bigint,
): void {
  const rows = tables.journal.get(item.instanceId) ?? []
  tables.journal.set(item.instanceId, rows)
  item.facts.forEach((fact, index) => {
    const row: JournalTableRow = {
      instanceId: item.instanceId,
      tenant: item.tenant,
      seq: item.seq + index,
      claimNo: item.claimNo,
      position: nextPosition(),
      at,
      nodeId,
      kind: fact.kind,
      data: fact.data,
    }
    rows.push(row)
  })
}

function updateInstance({ tables }: Database, item: CheckpointItem, at: number): void {
  const instance = tables.instances.get(item.instanceId)
  if (instance === undefined) return
  const lastSeq = item.seq + item.facts.length - 1
  if (item.then.status !== undefined) {
    instance.status = item.then.status
    instance.lastSeq = lastSeq
    instance.claimNo = item.claimNo
    instance.finishedAt = item.then.kind === 'end' ? at : undefined
  }
  if (item.correlationId !== undefined) instance.correlationId = item.correlationId
  if (item.snapshot !== undefined) {
    instance.snapshot = item.snapshot
    instance.snapshotSeq = lastSeq
    instance.snapshotAt = at
  }
}

function consumeMessages({ tables }: Database, item: CheckpointItem): void {
  if (item.consumes.length === 0) return
  const messages = tables.inbox.get(item.instanceId) ?? []
  // Also what is not there any more: whoever says so has heard it, perhaps once too often.
  for (const id of item.consumes)
    tables.history.push({ kind: 'applied', messageId: Number(id), instanceId: item.instanceId })
  const left = messages.filter((message) => !item.consumes.includes(String(message.id)))
  if (left.length === 0) tables.inbox.delete(item.instanceId)
  else tables.inbox.set(item.instanceId, left)
}

function closeBookmarks({ tables }: Database, item: CheckpointItem): void {
  for (const id of item.closes) {
    if (tables.bookmarks.delete(id))
      tables.history.push({ kind: 'consumed', bookmarkId: id, instanceId: item.instanceId, by: 'owner' })
  }
}

function openIncidents({ tables }: Database, item: CheckpointItem, at: number): void {
  for (const incident of item.incidents) {
    tables.incidents.set(incident.id, {
      ...incident,
      tenant: item.tenant,
      instanceId: item.instanceId,
      openedAt: at,
      resolvedAt: undefined,
      resolution: undefined,
      note: undefined,
    })
  }
}

function keepEvents({ tables }: Database, item: CheckpointItem, at: number): void {
  for (const { ttlMs, ...event } of item.publishes) {
    tables.events.set(event.id, {
      ...event,
      publishedAt: at,
      expiresAt: at + ttlMs,
      matched: 0,
      settleAfter: undefined,
      settled: false,
      reached: new Set<string>(),
    })
  }
}

/** Answers whether somebody waits there at all. The caller stimulates all parents at once. */
function tellParent(database: Database, { parent }: CheckpointItem): boolean {
  if (parent === undefined) return false
  const instance = database.tables.instances.get(parent.instanceId)
  if (instance !== undefined && instance.finishedAt === undefined) {
    putMessage(database, {
      instanceId: instance.id,
      tenant: instance.tenant,
      kind: 'child',
      bookmarkId: undefined,
      name: undefined,
      step: parent.step,
      payload: parent.payload,
      dedupeKey: undefined,
    })
  }
  return true
}

/** Bookmarks of one instance with the same hash are one row: the first stays. */
function openBookmarks({ tables }: Database, item: CheckpointItem, at: number): void {
  for (const { expiresInMs, ...bookmark } of item.opens) {
    if ([...tables.bookmarks.values()].some((row) => row.instanceId === item.instanceId && row.hash === bookmark.hash))
      continue
    tables.bookmarks.set(bookmark.id, {
      ...bookmark,
      tenant: item.tenant,
      instanceId: item.instanceId,
      expiresAt: expiresInMs === undefined ? undefined : at + expiresInMs,
      createdAt: at,
    })
  }
}
