import type { Message, ResumeRequest, ResumeVerdict, StimulusStore, Taker } from '@lockstep/engine/ports'
import { take } from './agenda-transactions.ts'
import type { Database } from './database.ts'
import { consumeBookmark, putMessage, stimulate } from './stimulate.ts'
import type { Synchronous } from './synchronous.ts'
import { type BookmarkTableRow, type EventTableRow, keyOf } from './tables.ts'
import { isPending } from './trigger-transactions.ts'

/** Bookmarks that one round of settling delivers an event to. */
const SETTLE_LIMIT = 500
/** Of those that an event reaches, its publisher takes so many itself. */
const MOST_TAKEN = 16
/** How far back in a journal a resume looks for a wait that is over. */
const LOOK_BACK = 1_000

export function stimulusTransactions(database: Database): Synchronous<StimulusStore> {
  const { tables } = database
  return {
    resume: (request, taker) => resume(database, request, taker),
    send: (message) => send(database, message),
    publish: ({ ttlMs, ...event }, matchLimit = 0, taker) => {
      const at = database.now()
      const row: EventTableRow = tables.events.get(event.id) ?? {
        ...event,
        publishedAt: at,
        expiresAt: at + ttlMs,
        matched: 0,
        settleAfter: undefined,
        settled: false,
        reached: new Set<string>(),
      }
      tables.events.set(event.id, row)
      const matched = matchLimit === 0 ? 0 : match(database, row, matchLimit)
      const reached = matched === 0 ? [] : [...row.reached].slice(0, MOST_TAKEN)
      const claims = taker && { claims: take(database, taker, reached) }
      return { matched, starts: isPending(database, row), ...claims }
    },
    match: (tenant, eventId, limit) => {
      const event = tables.events.get(eventId)
      return event?.tenant === tenant ? match(database, event, limit) : 0
    },
    settle: (limit) => settle(database, limit),
  }
}

function resume(
  database: Database,
  { tenant, instanceId, bookmark, payload }: ResumeRequest,
  taker?: Taker,
): ResumeVerdict {
  const { tables } = database
  const isAsked = (row: { readonly id: string | undefined; readonly name: string | undefined }): boolean =>
    bookmark === undefined || row.name === bookmark || row.id === bookmark
  const open = [...tables.bookmarks.values()].filter(
    (row) => row.instanceId === instanceId && row.tenant === tenant && isAsked(row),
  )
  const names = [...new Set(open.map((row) => row.name))].sort()
  if (bookmark === undefined && names.length > 1) return { kind: 'ambiguous', names }

  const first = open.sort(byHash)[0]
  if (first !== undefined) {
    if (first.expiresAt !== undefined && first.expiresAt <= database.now()) return { kind: 'expired' }
    consumeBookmark(database, first, 'resume', payload)
    stimulate(database, [instanceId])
    return { kind: 'resumed', bookmarkId: first.id, ...(taker && { claims: take(database, taker, [instanceId]) }) }
  }

  const instance = tables.instances.get(instanceId)
  if (instance === undefined || instance.tenant !== tenant) return { kind: 'not-found' }
  const messages = tables.inbox.get(instanceId) ?? []
  const isConsumed = messages.some(
    (message) => message.bookmarkId !== undefined && isAsked({ id: message.bookmarkId, name: message.name }),
  )
  if (isConsumed || hasWaited(database, instanceId, isAsked)) return { kind: 'already-resumed' }
  return { kind: instance.finishedAt === undefined && tables.agenda.has(instanceId) ? 'in-progress' : 'not-found' }
}

/** Whether the journal says that the instance waited for this: the wait is over, since no bookmark is left. */
function hasWaited(
  { tables }: Database,
  instanceId: string,
  isAsked: (row: { id: string | undefined; name: string | undefined }) => boolean,
): boolean {
  return (tables.journal.get(instanceId) ?? []).slice(-LOOK_BACK).some((row) => {
    if (row.kind !== 'waiting') return false
    const data: { readonly wait?: { readonly name?: string }; readonly bookmark?: string } = JSON.parse(row.data)
    return data.wait?.name !== undefined && isAsked({ id: data.bookmark, name: data.wait.name })
  })
}

function send(database: Database, { tenant, instanceId, kind, payload, dedupeKey }: Message): boolean {
  const { tables } = database
  const instance = tables.instances.get(instanceId)
  if (instance === undefined || instance.tenant !== tenant || instance.finishedAt !== undefined) return false
  const isKnown =
    dedupeKey !== undefined && (tables.inbox.get(instanceId) ?? []).some((message) => message.dedupeKey === dedupeKey)
  if (!isKnown)
    putMessage(database, {
      instanceId,
      tenant,
      kind,
      bookmarkId: undefined,
      name: undefined,
      step: undefined,
      payload,
      dedupeKey,
    })
  stimulate(database, [instanceId])
  return true
}

function match(database: Database, event: EventTableRow, limit: number): number {
  const { tables, now } = database
  const hit = [...tables.bookmarks.values()]
    .filter(
      (row) =>
        row.tenant === event.tenant &&
        row.kind === 'event' &&
        row.name === event.name &&
        (event.correlationId === undefined || row.correlationId === event.correlationId) &&
        (row.expiresAt === undefined || row.expiresAt > now()) &&
        // Before, and not at the same moment: time may stand still here.
        (row.createdAt < event.publishedAt || !event.reached.has(row.instanceId)),
    )
    .sort(byHash)
    .slice(0, limit)
  if (event.expiresAt <= now()) return 0
  for (const bookmark of hit) event.reached.add(bookmark.instanceId)
  for (const bookmark of hit) consumeBookmark(database, bookmark, 'event', event.payload)
  stimulate(
    database,
    hit.map((bookmark) => bookmark.instanceId),
  )
  event.matched += hit.length
  return hit.length
}

/** Two rounds: the first marks an event, a later one settles it. Transactions are single steps here, so none can be under way. */
function settle(database: Database, limit: number): { settled: number; matched: number; open: number } {
  const { tables } = database
  const transaction = database.nextTransaction()
  const unsettled = [...tables.events.values()].filter((event) => !event.settled)
  const ready = unsettled.filter((event) => event.settleAfter !== undefined && event.settleAfter < transaction)
  let settled = 0
  let matched = 0
  for (const event of ready.sort((a, b) => a.publishedAt - b.publishedAt).slice(0, limit)) {
    const hits = match(database, event, SETTLE_LIMIT)
    matched += hits
    if (hits === SETTLE_LIMIT || isPending(database, event)) continue
    event.settled = true
    settled += 1
  }
  for (const event of unsettled) event.settleAfter ??= transaction
  return { settled, matched, open: Math.min(unsettled.length - settled, limit) }
}

function byHash(a: BookmarkTableRow, b: BookmarkTableRow): number {
  const [left, right] = [keyOf(a.hash, a.id), keyOf(b.hash, b.id)]
  return left < right ? -1 : left > right ? 1 : 0
}
