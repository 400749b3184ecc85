import type { EndpointView, TriggerStore } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import * as sql from './trigger.sql.ts'

export function postgresTriggers(db: Db): TriggerStore {
  const lane = db.lane('api')
  return {
    pendingStarts: async (ids, olderThanMs, limit) => {
      const rows =
        ids === undefined
          ? await lane.many(sql.pending, { olderThanMs, limit })
          : await lane.many(sql.pendingOf, { ids })
      return rows.map((row) => ({
        tenant: row.tenant,
        eventId: row.event_id,
        correlationId: row.correlation_id ?? undefined,
        payload: row.payload,
        definitionId: row.definition_id,
        version: row.version,
        activity: row.activity,
        filter: row.filter ?? undefined,
      }))
    },
    started: async (ids) => {
      await lane.run(sql.started, { ids })
    },
    endpoint: async (tenant, method, segments) => {
      const rows = await lane.many(sql.endpoint, { tenant, segments })
      const found = rows.find((row) => row.method === method)
      const methods = [...new Set(rows.map((row) => row.method))].sort()
      return { endpoint: found && toView(tenant, found), methods }
    },
    taken: async (tenant, definitionId, keys) =>
      (
        await lane.many(sql.taken, {
          tenant,
          definitionId,
          methods: keys.map((key) => key.method),
          shapes: keys.map((key) => key.shape),
        })
      ).map((row) => ({ method: row.method, shape: row.shape, definitionId: row.definition_id })),
    endpoints: async (tenant, after, limit) =>
      (await lane.many(sql.endpoints, { tenant, shape: after?.shape, method: after?.method, limit })).map((row) =>
        toView(tenant, row),
      ),
    answer: async (tenant, id, after) => {
      const row = await lane.maybeOne(sql.answer, { tenant, id, after })
      return row && { answer: row.answer?.output, seq: row.seq, ended: row.finished, status: row.status }
    },
  }
}

function toView(tenant: string, row: sql.EndpointRow): EndpointView {
  return {
    tenant,
    method: row.method,
    shape: row.shape,
    definitionId: row.definition_id,
    activity: row.activity,
    version: row.version,
    inputs: row.inputs,
  }
}
