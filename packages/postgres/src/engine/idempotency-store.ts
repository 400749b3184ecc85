import type { BeginVerdict, IdempotencyStore } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import * as sql from './idempotency.sql.ts'

export function postgresIdempotency(db: Db): IdempotencyStore {
  const lane = db.lane('api')
  return {
    begin: async (request, holdMs, keepMs) => {
      for (;;) {
        const taken = await lane.maybeOne(sql.begin, { ...request, holdMs, keepMs })
        if (taken !== undefined) {
          await lane.run(sql.sweep)
          return { kind: 'begun', day: taken.day }
        }
        const verdict = await standing(request)
        if (verdict !== undefined) return verdict
      }
    },
    finish: async (request, answer) => (await lane.run(sql.finish, { ...request, ...answer })) === 1,
    abandon: async (request) => {
      await lane.run(sql.abandon, request)
    },
    release: async (request) => {
      await lane.run(sql.release, request)
    },
  }

  /** `undefined`: whoever had the key gave it back meanwhile. */
  async function standing(request: Parameters<IdempotencyStore['begin']>[0]): Promise<BeginVerdict | undefined> {
    const row = await lane.maybeOne(sql.look, request)
    if (row === undefined) return undefined
    if (row.fingerprint !== request.fingerprint) return { kind: 'other-request' }
    if (row.status === null)
      return row.held_ms === 0 ? undefined : { kind: 'in-progress', forMs: Math.ceil(row.held_ms) }
    return { kind: 'answered', answer: { status: row.status, answer: row.answer ?? 'null' } }
  }
}
