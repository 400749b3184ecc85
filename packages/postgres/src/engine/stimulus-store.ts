import type { Claim, ResumeVerdict, StimulusStore } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import { sqlstateOf } from '../db/errors.ts'
import type { ClaimRow } from './agenda.sql.ts'
import { toClaim } from './agenda-store.ts'
import * as sql from './stimulus.sql.ts'

/** Of those that an event reaches, its publisher takes so many itself. */
const MOST_TAKEN = 16

export function postgresStimuli(db: Db): StimulusStore {
  const lane = db.lane('api')
  return {
    resume: async (request, taker) => {
      if (taker === undefined) return toVerdict(await unlessDeadlock(() => lane.one(sql.resume, request)))
      const { nodeId: node, queues } = taker
      const row = await unlessDeadlock(() => lane.one(sql.resumeAndTake, { ...request, node, queues }))
      return toVerdict(row, claimsOf([row]))
    },
    send: async (message) => (await unlessDeadlock(() => lane.one(sql.send, message))).sent,
    publish: async (event, matchLimit = 0, taker) => {
      if (taker === undefined) return unlessDeadlock(() => lane.one(sql.publish, { ...event, matchLimit }))
      const { nodeId: node, queues } = taker
      const asked = { ...event, matchLimit, node, queues, takeLimit: MOST_TAKEN }
      const rows = await unlessDeadlock(() => lane.many(sql.publishAndTake, asked))
      return { matched: rows[0]!.matched, starts: rows[0]!.starts, claims: claimsOf(rows) }
    },
    match: async (tenant, eventId, limit) =>
      (await unlessDeadlock(() => lane.one(sql.match, { tenant, eventId, limit }))).count,
    settle: (limit) => unlessDeadlock(() => lane.one(sql.settle, { limit })),
  }
}

const claimsOf = (rows: readonly (ClaimRow | { readonly instance_id: null })[]): Claim[] =>
  rows.flatMap((row) => (row.instance_id === null ? [] : [toClaim(row)]))

function toVerdict(
  row: { verdict: string; bookmark: string | null; names: readonly string[] | null },
  claims?: readonly Claim[],
): ResumeVerdict {
  switch (row.verdict) {
    case 'resumed':
      return { kind: 'resumed', bookmarkId: row.bookmark ?? '', ...(claims && { claims }) }
    case 'ambiguous':
      return { kind: 'ambiguous', names: row.names ?? [] }
    case 'already-resumed':
    case 'expired':
    case 'in-progress':
      return { kind: row.verdict }
    default:
      return { kind: 'not-found' }
  }
}

const MOST_DEADLOCKS = 5

/** Whoever loses a deadlock was rolled back as a whole, and may simply ask again. */
export async function unlessDeadlock<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run()
    } catch (error) {
      if (sqlstateOf(error) !== '40P01' || attempt >= MOST_DEADLOCKS) throw error
    }
  }
}
