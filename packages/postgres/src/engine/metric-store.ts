import type { MetricStore } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import * as sql from './metric.sql.ts'

const MINUTE_MS = 60_000

export function postgresMetrics(db: Db): MetricStore {
  const lane = db.lane('api')
  return {
    write: async (node, sums) => {
      await lane.run(sql.write, { node, slotMs: MINUTE_MS, sums: JSON.stringify(sums) })
    },
    read: ({ nodeId: node, ...range }) =>
      node === undefined ? lane.many(sql.read, range) : lane.many(sql.readOfNode, { ...range, node }),
    rollUp: async (request) => Number((await lane.one(sql.rollUp, request)).taken),
    trim: (olderMs, limit) => lane.run(sql.trim, { olderMs, limit }),
  }
}
