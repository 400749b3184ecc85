import type { DeadLetter, DeadLetterStore } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import * as sql from './dead-letter.sql.ts'

export function postgresDeadLetters(db: Db): DeadLetterStore {
  const lane = db.lane('api')
  return {
    put: async ({ input, raw, ...letter }) => {
      const content = {
        input: input === undefined ? undefined : JSON.stringify(input),
        raw: raw === undefined ? undefined : Buffer.from(raw).toString('base64'),
      }
      // Its message waits for it as for a start.
      return (await db.lane('work').run(sql.put, { ...letter, ...content })) === 1
    },
    list: async ({ definitionId, source, ...place }) =>
      (await lane.many(sql.list, { ...place, definitionId, source })).map(toLetter),
    find: async (tenant, id) => {
      const row = await lane.maybeOne(sql.find, { tenant, id })
      if (row === undefined) return undefined
      const content = row.raw === null ? { input: row.input } : { raw: Buffer.from(row.raw, 'base64') }
      return { ...toLetter(row), ...content }
    },
    remove: async (tenant, id) => (await lane.run(sql.remove, { tenant, id })) === 1,
    trim: async (keepMs, limit) => lane.run(sql.trim, { keepMs, limit }),
  }
}

const toLetter = (row: sql.DeadLetterRow): DeadLetter => ({
  ...{ id: row.id, tenant: row.tenant, definitionId: row.definition_id, source: row.source },
  ...{ code: row.code, reason: row.reason, arrivedAt: row.arrived_at },
  dedupeKey: row.dedupe_key ?? undefined,
  correlationId: row.correlation_id ?? undefined,
})
