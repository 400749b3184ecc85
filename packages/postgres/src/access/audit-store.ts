import type { AuditStore } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import * as sql from './audit.sql.ts'

/** An entry that the store would not take at first is written later than those after it; so much later at most is looked for. */
const LATEST_MS = 3_600_000

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
      const { target, ...others } = filter
      // By index: there is no need to stop on the way.
      const filtered = target === undefined && Object.values(others).some((each) => each !== undefined)
      const bound = filtered ? await lane.maybeOne(sql.bound, place) : undefined
      const to = bound?.seq
      const found =
        target === undefined
          ? await lane.many(sql.list, { ...place, ...others, to })
          : await lane.many(sql.listOfTarget, { ...place, ...others, target })
      const rows = found.map(({ actor_kind, detail, ...row }) => ({
        ...row,
        actorKind: actor_kind,
        detail: detail ?? undefined,
      }))
      const isOver = bound !== undefined && bound.at < (filter.from ?? 0) - LATEST_MS
      return { rows, lookedTo: rows.length < place.limit && !isOver ? to : undefined }
    },
    trim: async (keepMs, limit) => lane.run(sql.trim, { keepMs, limit }),
  }
}
