import {
  type BreakerChange,
  type BreakerNote,
  type BreakerStore,
  notedReason,
  type StoredBreaker,
} from '@lockstep/engine/ports'
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
    trip: async (trip, generation, note) =>
      (await work.run(sql.trip, { ...trip, generation, note: noteText({ reason: trip.reason, ...note }) })) === 1,
    probe: async (name, node, probeMs) => {
      const row = await work.maybeOne(sql.probe, { ...name, node, probeMs })
      return row && Number(row.generation)
    },
    settle: async (name, node, generation, passed, reason) => {
      const note = noteText({ nodeId: node, reason })
      return (await work.run(passed ? sql.passed : sql.failed, { ...name, node, generation, note })) === 1
    },
    reset: async (name, note = {}) => {
      if ((await api.run(sql.reset, { ...name, note: noteText(note) })) === 0) return undefined
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
    changes: async (names) => {
      const params = { tenants: names.map((name) => name.tenant), keys: names.map((name) => name.key) }
      return (await api.many(sql.changes, params)).flatMap(toChanges)
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

/** As migration 0044 takes it. */
const noteText = ({ reason, nodeId, by }: BreakerNote): string =>
  JSON.stringify({ reason: reason && notedReason(reason), node: nodeId, by })

interface Noted {
  readonly state: StoredBreaker['state']
  readonly at: number
  readonly reason?: string
  readonly node?: string
  readonly name?: string
  readonly by?: string
}

const toChanges = ({
  tenant,
  key,
  history,
}: {
  tenant: string
  key: string
  history: string
}): readonly BreakerChange[] =>
  (JSON.parse(history) as readonly Noted[]).map(({ state, at, reason, node, name, by }) => ({
    ...{ tenant, key, state, at, reason, by },
    nodeId: node,
    nodeName: name,
  }))
