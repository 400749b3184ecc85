import type { IssuedSessionStore } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import * as sql from './issued-session.sql.ts'

export function postgresIssuedSessions(db: Db): IssuedSessionStore {
  const lane = db.lane('api')
  return {
    open: async (hash, session, idleMs, longestMs) => {
      await lane.run(sql.open, { hash, ...session, idleMs, longestMs })
    },
    touch: async (hash, idleMs) => {
      const row = await lane.maybeOne(sql.find, { hash, idleMs })
      if (row === undefined) return undefined
      const { slide, ...session } = row
      if (slide) await lane.run(sql.slide, { hash, idleMs })
      return session
    },
    end: async (hash) => (await lane.run(sql.end, { hash })) === 1,
    endAll: async (subject, tenant) => (await lane.one(sql.endAll, { subject, tenant })).ended,
  }
}
