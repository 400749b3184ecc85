import type { BreakerStore, StoredBreaker } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import * as sql from './breaker.sql.ts'

export function postgresBreakers(db: Db): BreakerStore {
  const work = db.lane('work')
  const api = db.lane('api')
  return {
    read: async (names) => {
      const params = { tenants: names.map((name) => name.tenant), keys: names.map((name) => name.key) }
      return (await work.many(sql.read, params)).map(toBreaker)
    },
    trip: async (trip, generation) => (await work.run(sql.trip, { ...trip, generation })) === 1,
    probe: async (name, node, probeMs) => {
      const row = await work.maybeOne(sql.probe, { ...name, node, probeMs })
      return row && Number(row.generation)
    },
    settle: async (name, node, generation, passed) =>
      (await work.run(passed ? sql.passed : sql.failed, { ...name, node, generation })) === 1,
    reset: async (name) => {
      if ((await api.run(sql.reset, name)) === 0) return undefined
      return (await api.many(sql.callWaiting, name)).map((row) => row.id)
    },
    list: async (tenant, after, limit) => (await api.many(sql.list, { tenant, after, limit })).map(toBreaker),
    waiting: async (names, most) => {
      const params = { tenants: names.map((name) => name.tenant), keys: names.map((name) => name.key), most }
      return (await api.many(sql.waiting, params)).map(({ instance_id, ...row }) => ({
        ...row,
        instanceId: instance_id,
      }))
    },
  }
}

const toBreaker = (row: sql.BreakerRow): StoredBreaker => ({
  tenant: row.tenant,
  key: row.key,
  state: row.state,
  generation: Number(row.generation),
  openForMs: row.state === 'closed' ? 0 : Math.max(0, row.open_for ?? 0),
  openedAt: row.opened_at ?? undefined,
  reason: row.reason ?? undefined,
  probeForMs: row.probe_node === null || row.probe_for === null ? undefined : Math.max(0, row.probe_for),
  probeNode: row.probe_node ?? undefined,
  changedAt: row.changed_at,
})
