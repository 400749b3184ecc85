import type { ApiKeyRecord, ApiKeyStore } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import * as sql from './api-key.sql.ts'

export function postgresApiKeys(db: Db): ApiKeyStore {
  const lane = db.lane('api')
  return {
    add: async (key) => toRecord(await lane.one(sql.add, key)),
    find: async (id) => maybe(await lane.maybeOne(sql.find, { id })),
    list: async (place) => (await lane.many(sql.list, place)).map(toRecord),
    revoke: async (id, tenant) => maybe(await lane.maybeOne(sql.revoke, { id, tenant })),
    used: async (id) => {
      await lane.run(sql.used, { id })
    },
  }
}

const maybe = (row: sql.ApiKeyRow | undefined): ApiKeyRecord | undefined => row && toRecord(row)

const toRecord = (row: sql.ApiKeyRow): ApiKeyRecord => ({
  id: row.id,
  tenant: row.tenant,
  name: row.name,
  hash: row.hash,
  role: row.role,
  permissions: row.permissions ?? undefined,
  createdBy: row.created_by,
  createdAt: row.created_at,
  expiresAt: row.expires_at ?? undefined,
  lastUsedAt: row.used_at ?? undefined,
  revokedAt: row.revoked_at ?? undefined,
  live: row.live,
})
