import type { SessionStore } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import * as sql from './session.sql.ts'
import { toUser } from './user-store.ts'

export function postgresSessions(db: Db): SessionStore {
  const lane = db.lane('api')
  return {
    open: async (hash, user, idleMs, longestMs) => {
      await lane.run(sql.open, { hash, user, idleMs, longestMs })
    },
    touch: async (hash, idleMs) => {
      const row = await lane.maybeOne(sql.find, { hash, idleMs })
      if (row === undefined) return undefined
      if (row.slide) await lane.run(sql.slide, { hash, idleMs })
      return { user: toUser(row), expiresAt: row.expires_at }
    },
    end: async (hash) => (await lane.run(sql.end, { hash })) === 1,
    endAll: async (user, tenant) => (await lane.one(sql.endAll, { user, tenant })).ended,
  }
}
