import type { AuditStore } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import * as sql from './audit.sql.ts'

export function postgresAudit(db: Db): AuditStore {
  const lane = db.lane('api')
  return {
    append: async (entries) => {
      await lane.run(sql.append, {
        tenants: entries.map((each) => each.tenant),
        ats: entries.map((each) => each.at),
        kinds: entries.map((each) => each.actorKind),
        actors: entries.map((each) => each.actor),
        operations: entries.map((each) => each.operation),
        targets: entries.map((each) => each.target),
        outcomes: entries.map((each) => each.outcome),
        statuses: entries.map((each) => each.status),
        addresses: entries.map((each) => each.address),
        agents: entries.map((each) => each.agent),
        nodes: entries.map((each) => each.node),
        details: entries.map((each) => (each.detail === undefined ? null : JSON.stringify(each.detail))),
      })
    },
    list: async (place, filter) => {
      const filtered = Object.values(filter).some((each) => each !== undefined)
      const to = filtered ? (await lane.maybeOne(sql.bound, place))?.seq : undefined
      const found = await lane.many(sql.list, { ...place, ...filter, to })
      const rows = found.map(({ actor_kind, detail, ...row }) => ({
        ...row,
        actorKind: actor_kind,
        detail: detail ?? undefined,
      }))
      return { rows, lookedTo: rows.length < place.limit ? to : undefined }
    },
  }
}
