import {
  type BulkOperation,
  idPrefix,
  type OperationFilter,
  type OperationState,
  type OperationStore,
} from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import * as sql from './verb-operation.sql.ts'

export function postgresOperations(db: Db): OperationStore {
  const lane = db.lane('api')
  return {
    create: async ({ filter, limit: most, ...operation }) => {
      await lane.run(sql.create, { ...operation, most, filter: filterText(filter) })
      await lane.run(sql.forgetItems, { tenant: operation.tenant })
      await lane.run(sql.forget, { tenant: operation.tenant })
    },
    get: async (tenant, id) => {
      const row = await lane.maybeOne(sql.one, { tenant, id })
      return row && toOperation(tenant, row)
    },
    list: async (tenant, before, limit) =>
      (await lane.many(sql.list, { tenant, before, limit })).map((row) => toOperation(tenant, row)),
    steer: async (tenant, id, wish) => (await lane.run(WISHES[wish], { tenant, id })) === 1,
    items: async (tenant, id, { after, outcome }, limit) =>
      (await lane.many(sql.items, { tenant, id, after, outcome, limit })).map((row) => ({
        instanceId: row.instance_id,
        outcome: row.outcome ?? undefined,
        detail: row.detail ?? undefined,
      })),
    next: async () => {
      const row = await lane.maybeOne(sql.next)
      return row && { ...row, state: row.state as OperationState }
    },
    freeze: async (tenant, id, lookAt) => {
      await lane.many(sql.freeze, { tenant, id, lookAt })
    },
    pending: async (tenant, id, limit) => {
      const rows = await lane.many(sql.pending, { tenant, id, limit })
      if (rows.length === 0) await lane.run(sql.finish, { tenant, id })
      return rows.map((row) => row.instance_id)
    },
    settle: async (tenant, id, items) => {
      const ids = items.map((item) => item.instanceId)
      const outcomes = items.map((item) => item.outcome)
      const details = items.map((item) => item.detail)
      await lane.run(sql.settle, { tenant, id, ids, outcomes, details })
    },
    preview: async (tenant, { instanceIds, excludeIds = [], ...filter }, meant, bounds) => {
      const ids = instanceIds && [...new Set(instanceIds)]
      const { lookAt, sample, listed, limit, deletes = false, toVersion } = bounds
      const asked = { tenant, filter: filterText(filter), lookAt, sample, ids, exclude: excludeIds, meant }
      const row = await lane.one(sql.preview, { ...asked, listed, most: limit, deletes, toVersion })
      return {
        count: row.count,
        exact: row.looked < lookAt,
        sample: row.sample ?? [],
        skipped: row.skipped ?? {},
        definitionIds: row.definitions ?? [],
      }
    },
  }
}

const WISHES = { cancel: sql.cancel, pause: sql.pause, continue: sql.unpause }

/** With the beginning of an id that its text may be. */
const filterText = (filter: OperationFilter): string =>
  JSON.stringify({ ...filter, idPrefix: filter.text === undefined ? undefined : idPrefix(filter.text) })

const asAsked = ({ idPrefix: _, ...filter }: OperationFilter & { readonly idPrefix?: string }): OperationFilter =>
  filter

const toOperation = (tenant: string, row: sql.OperationRow): BulkOperation => ({
  tenant,
  id: row.id,
  verb: row.verb,
  options: row.options,
  filter: asAsked(row.filter as OperationFilter & { readonly idPrefix?: string }),
  limit: row.most,
  note: row.note ?? undefined,
  state: row.state as OperationState,
  createdAt: row.created_at,
  finishedAt: row.finished_at ?? undefined,
  total: row.total,
  cut: row.cut,
  outcomes: row.outcomes ?? {},
})
