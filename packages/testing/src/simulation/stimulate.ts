import type { Database } from './database.ts'
import type { BookmarkTableRow, InboxTableRow } from './tables.ts'

/** Tells instances that something waits in their inbox: once each, however often they are named. */
export function stimulate({ tables, now }: Database, instanceIds: Iterable<string>): void {
  for (const id of new Set(instanceIds)) {
    const instance = tables.instances.get(id)
    if (instance === undefined || instance.finishedAt !== undefined) continue
    const row = tables.agenda.get(id)
    if (row !== undefined) {
      row.stim += 1
      row.dueAt = Math.min(row.dueAt, now())
      continue
    }
    tables.agenda.set(id, {
      instanceId: id,
      tenant: instance.tenant,
      queue: instance.queue,
      dueAt: now(),
      claimedBy: undefined,
      claimNo: instance.claimNo,
      crashes: 0,
      stim: 1,
    })
  }
}

export function putMessage(database: Database, message: Omit<InboxTableRow, 'id'>): void {
  const { tables } = database
  const row: InboxTableRow = { id: database.nextMessageId(), ...message }
  const list = tables.inbox.get(message.instanceId)
  if (list === undefined) tables.inbox.set(message.instanceId, [row])
  else list.push(row)
}

/** The one point at which a bookmark is consumed from outside. The caller stimulates the instance. */
export function consumeBookmark(
  database: Database,
  bookmark: BookmarkTableRow,
  by: 'resume' | 'event',
  payload: string,
): void {
  const { tables } = database
  if (database.has('bookmark')) tables.bookmarks.delete(bookmark.id)
  tables.history.push({ kind: 'consumed', bookmarkId: bookmark.id, instanceId: bookmark.instanceId, by })
  putMessage(database, {
    instanceId: bookmark.instanceId,
    tenant: bookmark.tenant,
    kind: by,
    bookmarkId: bookmark.id,
    name: bookmark.name,
    step: bookmark.step,
    payload,
    dedupeKey: undefined,
  })
}

/** Gives a bookmark that was just opened the oldest event that was kept for it. */
export function takeKept(database: Database, bookmarkId: string): boolean {
  const { tables, now } = database
  const bookmark = tables.bookmarks.get(bookmarkId)
  if (bookmark === undefined) return false
  const kept = [...tables.events.values()]
    .filter(
      (event) =>
        event.tenant === bookmark.tenant &&
        event.name === bookmark.name &&
        event.matched === 0 &&
        event.expiresAt > now() &&
        (event.correlationId === undefined || event.correlationId === bookmark.correlationId),
    )
    .reduce<ReturnType<typeof tables.events.get>>(
      (oldest, event) => (oldest && oldest.publishedAt <= event.publishedAt ? oldest : event),
      undefined,
    )
  if (kept === undefined) return false
  kept.matched = 1
  kept.reached.add(bookmark.instanceId)
  consumeBookmark(database, bookmark, 'event', kept.payload)
  stimulate(database, [bookmark.instanceId])
  return true
}
