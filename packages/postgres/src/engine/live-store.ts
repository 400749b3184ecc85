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
      const events = rows
        .filter((row) => row !== end)
        .map(toEvent)
        .sort(inOrder)
      const facts = events.filter(({ topic }) => topic === 'instances')
      const changes = events.filter(({ topic }) => topic !== 'instances')
      readSince += facts.length
      // What was cut off by the limit begins behind the last one; the other kind may not go past it.
      const bounds = [facts, changes].filter((each) => each.length >= limit).map((each) => each.at(-1)!)
      const bound = bounds.sort(inOrder)[0]
      if (bound !== undefined)
        return { events: events.filter((each) => inOrder(each, bound) <= 0), next: bound, more: true }
      const until = BigInt(end.pos)
      // An idle store: the horizon has not moved, or a reader stands there already.
      const next = until > after.pos ? { pos: until, n: 0 } : after
      return { events, next, more: end.type === 'part' }
    },
  }
}

function inOrder(a: LiveCursor, b: LiveCursor): number {
  if (a.pos !== b.pos) return a.pos < b.pos ? -1 : 1
  return a.n - b.n
}

function toEvent(row: sql.LiveRow): LiveEvent {
  return {
    topic: row.topic as LiveTopic,
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
