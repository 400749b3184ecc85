import type { DefinitionUsageStore } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import * as sql from './definition-usage.sql.ts'

export function postgresDefinitionUsage(db: Db): DefinitionUsageStore {
  const lane = db.lane('api')
  return {
    pinned: async (tenant, id, version, lookAt) => {
      const { live, seen } = await lane.one(sql.pinned, { tenant, id, version, lookAt })
      return { value: live, exact: seen <= lookAt }
    },
    consumers: (tenant, id, after, limit) => lane.many(sql.consumers, { tenant, id, after, limit }),
    tenants: async () => (await lane.many(sql.tenants, {})).map(({ tenant }) => tenant),
  }
}
