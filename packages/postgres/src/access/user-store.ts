import type { UserRecord, UserStore } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import * as sql from './user.sql.ts'

export function postgresUsers(db: Db): UserStore {
  const lane = db.lane('api')
  return {
    add: async (user) => maybe(await lane.maybeOne(sql.add, user)),
    find: async (name) => maybe(await lane.maybeOne(sql.find, { name })),
    list: async (place) => (await lane.many(sql.list, place)).map(toUser),
    change: async (name, tenant, { role, passwordHash, disabled }) =>
      maybe(await lane.maybeOne(sql.change, { name, tenant, role, passwordHash, disabled })),
    remove: async (name, tenant) => (await lane.run(sql.remove, { name, tenant })) === 1,
  }
}

const maybe = (row: sql.UserRow | undefined): UserRecord | undefined => row && toUser(row)

export const toUser = (row: sql.UserRow): UserRecord => ({
  name: row.name,
  tenant: row.tenant,
  role: row.role,
  passwordHash: row.password_hash,
  disabled: row.disabled,
  createdAt: row.created_at,
  lastSignInAt: row.signed_in_at ?? undefined,
})
