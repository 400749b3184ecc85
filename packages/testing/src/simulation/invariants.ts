import { groupBy } from '@lockstep/base'
import { checkJournals } from './journal-invariants.ts'
import { type InstanceTableRow, keyOf, type Tables } from './tables.ts'
import type { Violation } from './violation.ts'

/** What the outside saw: answers that were given, effects that ran. */
export type Observation =
  | { readonly kind: 'started'; readonly instanceId: string }
  | { readonly kind: 'resumed'; readonly instanceId: string; readonly bookmarkId: string }
  | { readonly kind: 'published'; readonly eventId: string }
  | {
      readonly kind: 'effect'
      readonly instanceId: string
      readonly step: string
      readonly mode: 'atLeastOnce' | 'atMostOnce'
    }

/** Every promise that can be read off the tables. Holds at any moment, with any number of nodes at work. */
export function checkInvariants(tables: Tables, observations: readonly Observation[] = []): readonly Violation[] {
  return [
    ...checkJournals(tables),
    ...checkClaims(tables),
    ...checkBookmarks(tables),
    ...checkMessages(tables),
    ...checkNothingStranded(tables),
    ...checkDedupe(tables),
    ...checkObservations(tables, observations),
  ]
}

function checkClaims({ agenda, history, nodes }: Tables): Violation[] {
  const found: Violation[] = []
  const ownerOf = new Map<string, string>()
  for (const row of history) {
    if (row.kind !== 'claimed') continue
    const key = keyOf(row.instanceId, row.claimNo)
    const owner = ownerOf.get(key)
    if (owner !== undefined) {
      found.push({
        rule: 'a claim number is given once',
        instanceId: row.instanceId,
        detail: `claim ${row.claimNo} to ${owner} and to ${row.nodeId}`,
      })
    }
    ownerOf.set(key, row.nodeId)
  }
  for (const row of agenda.values()) {
    if (row.claimedBy !== undefined && !nodes.has(row.claimedBy)) {
      found.push({
        rule: 'only a node that lives holds a claim',
        instanceId: row.instanceId,
        detail: `claimed by ${row.claimedBy}, which has no row`,
      })
    }
  }
  return found
}

function checkBookmarks({ bookmarks, history }: Tables): Violation[] {
  const found: Violation[] = []
  const consumed = new Set<string>()
  for (const row of history) {
    if (row.kind !== 'consumed') continue
    if (consumed.has(row.bookmarkId)) {
      found.push({
        rule: 'a bookmark is consumed at most once',
        instanceId: row.instanceId,
        detail: `${row.bookmarkId} once more by ${row.by}`,
      })
    }
    consumed.add(row.bookmarkId)
  }
  const hashes = new Set<string>()
  for (const row of bookmarks.values()) {
    if (consumed.has(row.id))
      found.push({ rule: 'a consumed bookmark is gone', instanceId: row.instanceId, detail: row.id })
    const key = keyOf(row.instanceId, row.hash)
    if (hashes.has(key))
      found.push({ rule: 'bookmarks with one hash are one', instanceId: row.instanceId, detail: row.hash })
    hashes.add(key)
  }
  return found
}

function checkMessages({ history }: Tables): Violation[] {
  const applied = new Set<number>()
  return history.flatMap((row) => {
    if (row.kind !== 'applied') return []
    const isFirst = !applied.has(row.messageId)
    applied.add(row.messageId)
    if (isFirst) return []
    return [{ rule: 'a message is heard once', instanceId: row.instanceId, detail: `message ${row.messageId}` }]
  })
}

/** What `doctor` checks: whoever has not ended has something to do, or waits for something that can come. */
function checkNothingStranded(tables: Tables): Violation[] {
  const { agenda, bookmarks, inbox, instances } = tables
  const found: Violation[] = []
  const waiting = new Set([...bookmarks.values()].map((row) => row.instanceId))
  for (const instance of instances.values()) {
    const { id, finishedAt, status } = instance
    if (finishedAt === undefined && !agenda.has(id) && !waiting.has(id) && !waitsForChild(tables, instance)) {
      found.push({
        rule: 'nothing is stranded',
        instanceId: id,
        detail: `${status}, no agenda row, no bookmark, no child`,
      })
    }
    if (finishedAt !== undefined && (agenda.has(id) || waiting.has(id))) {
      found.push({
        rule: 'an ended instance has nothing to do',
        instanceId: id,
        detail: `${status}, on the agenda: ${agenda.has(id)}, waiting: ${waiting.has(id)}`,
      })
    }
    if (finishedAt === undefined && (inbox.get(id)?.length ?? 0) > 0 && !agenda.has(id)) {
      found.push({
        rule: 'a message wakes its instance',
        instanceId: id,
        detail: `${inbox.get(id)!.length} in the inbox, no agenda row`,
      })
    }
  }
  return found
}

function waitsForChild({ instances, journal }: Tables, { id }: InstanceTableRow): boolean {
  return (journal.get(id) ?? []).some((row) => {
    if (row.kind !== 'waiting') return false
    const { wait }: { wait?: { kind?: string; instanceId?: string } } = JSON.parse(row.data)
    const child = wait?.kind === 'child' && wait.instanceId !== undefined ? instances.get(wait.instanceId) : undefined
    return child !== undefined && child.finishedAt === undefined
  })
}

function checkDedupe({ instances }: Tables): Violation[] {
  const keyed = [...instances.values()].filter((row) => row.dedupeKey !== undefined)
  return [...groupBy(keyed, (row) => keyOf(row.tenant, row.definitionId, row.dedupeKey!)).values()]
    .filter((rows) => rows.length > 1)
    .map((rows) => ({
      rule: 'one instance per dedupe key',
      instanceId: rows[0]!.id,
      detail: `${rows[0]!.dedupeKey}: ${rows.map((row) => row.id).join(', ')}`,
    }))
}

function checkObservations(tables: Tables, observations: readonly Observation[]): Violation[] {
  const found: Violation[] = []
  const seen = new Set<string>()
  const consumed = new Set(
    tables.history.flatMap((row) => (row.kind === 'consumed' && row.by !== 'owner' ? [row.bookmarkId] : [])),
  )
  const once = (key: string, rule: string, instanceId: string, detail: string): void => {
    if (seen.has(key)) found.push({ rule, instanceId, detail })
    seen.add(key)
  }
  for (const each of observations) {
    if (each.kind === 'started' && !tables.instances.has(each.instanceId)) {
      found.push({ rule: 'an acknowledged start exists', instanceId: each.instanceId, detail: 'no such instance' })
    }
    if (each.kind === 'resumed') {
      once(keyOf('resumed', each.bookmarkId), 'a resume is answered "resumed" once', each.instanceId, each.bookmarkId)
      if (!consumed.has(each.bookmarkId))
        found.push({
          rule: 'an acknowledged resume was consumed',
          instanceId: each.instanceId,
          detail: each.bookmarkId,
        })
    }
    if (each.kind === 'published' && !tables.events.has(each.eventId)) {
      found.push({ rule: 'an acknowledged event exists', instanceId: undefined, detail: each.eventId })
    }
    if (each.kind === 'effect' && each.mode === 'atMostOnce') {
      once(keyOf('effect', each.instanceId, each.step), 'an at-most-once effect runs once', each.instanceId, each.step)
    }
  }
  return found
}
