import type { NewSecret, SealedSecret, SecretRecord, SecretStore } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import * as sql from './secret.sql.ts'

export function postgresSecrets(db: Db): SecretStore {
  const lane = db.lane('api')
  return {
    put: async (secret, by) => toRecord(await lane.one(sql.put, { ...coded(secret), hosts: secret.hosts, by })),
    find: async (tenant, name) => {
      // Steps wait for it: their lane, not that of requests.
      const row = await db.lane('work').maybeOne(sql.find, { tenant, name })
      return row && toSealed(row)
    },
    list: async (place) => (await lane.many(sql.list, place)).map(toRecord),
    remove: async (tenant, name) => (await lane.run(sql.remove, { tenant, name })) === 1,
    sealedOtherwise: async (keyId, after, limit) => {
      const { tenant, name } = after ?? { tenant: '', name: '' }
      return (await lane.many(sql.sealedOtherwise, { keyId, tenant, name, limit })).map(toSealed)
    },
    reseal: async (secret) => (await lane.run(sql.reseal, { ...coded(secret), revision: secret.revision })) === 1,
  }
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

const coded = ({ tenant, name, keyId, nonce, box }: NewSecret) => ({
  ...{ tenant, name, keyId },
  nonce: base64(nonce),
  box: base64(box),
})

const toSealed = (row: sql.SealedRow): SealedSecret => ({
  ...{ tenant: row.tenant, name: row.name, keyId: row.key_id, hosts: row.hosts, revision: row.revision },
  nonce: Buffer.from(row.nonce, 'base64'),
  box: Buffer.from(row.box, 'base64'),
})

const toRecord = (row: sql.SecretRow): SecretRecord => ({
  ...{ tenant: row.tenant, name: row.name, keyId: row.key_id, hosts: row.hosts, revision: row.revision },
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  updatedBy: row.updated_by,
})
