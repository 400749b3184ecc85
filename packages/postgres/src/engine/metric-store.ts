import type { MetricStore } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import * as sql from './metric.sql.ts'

const MINUTE_MS = 60_000
/** By name in a row that stands for many: more than any page tells apart. */
const MOST_DEFINITIONS = 40

export function postgresMetrics(db: Db): MetricStore {
  const lane = db.lane('api')
  return {
    write: async (node, sums, byDefinition) => {
      const parts = byDefinition === undefined ? null : JSON.stringify(byDefinition)
      await lane.run(sql.write, { node, slotMs: MINUTE_MS, sums: JSON.stringify(sums), byDefinition: parts })
    },
    read: ({ nodeId: node, ...range }) =>
      node === undefined ? lane.many(sql.read, range) : lane.many(sql.readOfNode, { ...range, node }),
    readParts: ({ by, nodeId: node, ...range }) => {
      if (by.kind === 'node') return lane.many(sql.readByNode, range)
      const wanted = { ...range, tenant: by.tenant }
      return node === undefined
        ? lane.many(sql.readByDefinition, wanted)
        : lane.many(sql.readByDefinitionOfNode, { ...wanted, node })
    },
    rollUp: async (request) =>
      Number((await lane.one(sql.rollUp, { ...request, definitions: MOST_DEFINITIONS })).taken),
    trim: (olderMs, limit) => lane.run(sql.trim, { olderMs, limit }),
  }
}
