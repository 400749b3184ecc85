import type { ResumeVerdict, StimulusStore } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import { sqlstateOf } from '../db/errors.ts'
import * as sql from './stimulus.sql.ts'

export function postgresStimuli(db: Db): StimulusStore {
  const lane = db.lane('api')
  return {
    resume: async (request) => toVerdict(await unlessDeadlock(() => lane.one(sql.resume, request))),
    send: async (message) => (await unlessDeadlock(() => lane.one(sql.send, message))).sent,
    publish: (event, matchLimit = 0) => unlessDeadlock(() => lane.one(sql.publish, { ...event, matchLimit })),
    match: async (tenant, eventId, limit) =>
      (await unlessDeadlock(() => lane.one(sql.match, { tenant, eventId, limit }))).count,
    settle: (limit) => unlessDeadlock(() => lane.one(sql.settle, { limit })),
  }
}

function toVerdict(row: { verdict: string; bookmark: string | null; names: readonly string[] | null }): ResumeVerdict {
  switch (row.verdict) {
    case 'resumed':
      return { kind: 'resumed', bookmarkId: row.bookmark ?? '' }
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
