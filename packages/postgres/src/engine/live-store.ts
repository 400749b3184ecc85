import type { Json } from '@lockstep/base'
import type { LiveCursor, LiveEvent, LiveStore, LiveTopic } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import * as sql from './live.sql.ts'

/** Transactions that one read looks at. */
const SPAN = 1 << 14
/** Transactions that a reader may be behind: finding its way through more would cost others too much. */
const LONGEST_BACK = BigInt(1 << 22) << 20n
/** Facts that fill about one range of pages of the index of positions. Ranges that it does not know yet are read by every reader. */
const RANGE = 1 << 11

export function postgresLive(db: Db): LiveStore {
  const lane = db.lane('api')
  let isFirst = true
  let readSince = 0
  const sumUp = async (): Promise<void> => {
    if (!isFirst && readSince < RANGE) return
    const all = isFirst
    isFirst = false
    readSince = 0
    await lane.one(sql.sumUp, { all })
  }
  return {
    span: async () => {
      const row = await lane.one(sql.span)
      const horizon = BigInt(row.horizon)
      const reach = horizon > LONGEST_BACK ? horizon - LONGEST_BACK : 0n
      // The first change of all has the number 1: before any other one something was dropped.
      const kept = row.oldest === null || row.n === null || Number(row.n) === 1 ? 0n : BigInt(row.oldest)
      return { horizon: { pos: horizon, n: 0 }, oldest: { pos: kept > reach ? kept : reach, n: 0 } }
    },
    read: async (after, limit, withFacts) => {
      const factLimit = withFacts ? limit : 0
      if (withFacts) await sumUp()
      const rows = await lane.many(sql.read, { pos: String(after.pos), n: after.n, span: SPAN, limit, factLimit })
      const end = rows.find(({ topic }) => topic === 'end')
      if (end === undefined) return { events: [], next: after, more: false }
      const told = rows.filter((row) => row !== end)
      const events = told.map(toEvent).sort(inOrder)
      const facts = events.filter(({ seq }) => seq !== undefined)
      const changes = events.filter(({ seq }) => seq === undefined)
      readSince += facts.length
      // What was cut off by the limit begins behind the last one; the other kind may not go past it.
      const bounds = [facts, changes].filter((each) => each.length >= limit).map((each) => each.at(-1)!)
      const bound = bounds.sort(inOrder)[0]
      const all = [...events, ...told.flatMap(lockEvent)].sort(inOrder)
      if (bound !== undefined)
        return { events: all.filter((each) => inOrder(each, bound) <= 0), next: bound, more: true }
      const until = BigInt(end.pos)
      // An idle store: the horizon has not moved, or a reader stands there already.
      const next = until > after.pos ? { pos: until, n: 0 } : after
      return { events: all, next, more: end.type === 'part' }
    },
  }
}

function inOrder(a: LiveCursor, b: LiveCursor): number {
  if (a.pos !== b.pos) return a.pos < b.pos ? -1 : 1
  return a.n - b.n
}

/** Behind every change that can stand at one place. */
const LAST_N = 999_999_999_999_999

const lockTypes: Readonly<Record<string, string>> = { waiting: 'waiting', opened: 'entered', locked: 'entered-again' }

/** What a fact says of a lock, told right before the fact: whoever is cut off between the two goes on with the fact. */
function lockEvent(row: sql.LiveRow): readonly LiveEvent[] {
  const type = row.lock === null ? undefined : lockTypes[row.type]
  if (type === undefined) return []
  const { pos, subject: instanceId, seq, nodeId, detail, at, tenant } = toEvent(row)
  const data = { instanceId: instanceId!, ...(row.fence !== null && { fence: row.fence }) }
  return [
    {
      ...{ topic: 'locks', type, pos: pos - 1n, n: LAST_N, at, tenant, subject: row.lock!, data },
      ...(seq !== undefined && { seq }),
      ...(nodeId !== undefined && { nodeId }),
      ...(detail !== undefined && { detail }),
    },
  ]
}

/** Migration 0046: changes that are told under another name than they are kept by. */
const RENAMED: Readonly<Record<string, LiveTopic>> = { 'instance-deleted': 'instances' }

function toEvent(row: sql.LiveRow): LiveEvent {
  const event = plainEvent(row)
  if (row.topic !== 'cluster' || row.type !== 'lock-broken') return event
  const { detail } = row.data as { readonly detail: { readonly lock: string } & Record<string, Json> }
  const { lock, ...data } = detail
  return { ...event, topic: 'locks', type: 'broken', subject: lock, data }
}

function plainEvent(row: sql.LiveRow): LiveEvent {
  return {
    topic: RENAMED[row.topic] ?? (row.topic as LiveTopic),
    type: row.type,
    pos: BigInt(row.pos),
    n: Number(row.n),
    at: row.at ?? 0,
    tenant: row.tenant ?? undefined,
    subject: row.subject ?? undefined,
    ...(row.seq !== null && { seq: row.seq }),
    ...(row.node_id !== null && { nodeId: row.node_id }),
    ...(row.detail !== null && { detail: row.detail }),
    ...(row.data !== null && { data: row.data as Json }),
  }
}
