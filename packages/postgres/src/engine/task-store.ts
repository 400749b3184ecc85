import type { TaskStore, TaskVerdict, TaskView } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import { unlessDeadlock } from './stimulus-store.ts'
import * as sql from './task.sql.ts'

/** New tasks between two sweeps of old ones. */
const SWEEP_EVERY = 50

export function postgresTasks(db: Db): TaskStore {
  const lane = db.lane('api')
  let opened = 0
  return {
    open: async (task) => {
      await lane.run(sql.open, task)
      if (opened++ % SWEEP_EVERY === 0) await lane.maybeOne(sql.sweep)
    },
    claim: async (claim) => {
      const rows = await unlessDeadlock(() => lane.many(sql.claim, claim))
      return rows.map((row) => toView(claim.tenant, row))
    },
    look: async (lookAt) => {
      const rows = await lane.many(sql.look, { lookAt })
      const seen = rows.reduce((sum, row) => sum + row.seen, 0)
      return { kinds: rows.map(({ tenant, queue, name }) => ({ tenant, queue, name })), more: seen >= lookAt }
    },
    beat: async (tenant, id, leaseNo, leaseMs, progress) =>
      (await unlessDeadlock(() => lane.one(sql.beat, { tenant, id, leaseNo, leaseMs, progress })))
        .verdict as TaskVerdict,
    end: async (tenant, id, leaseNo, status, message) =>
      (await unlessDeadlock(() => lane.one(sql.end, { tenant, id, leaseNo, status, message }))).verdict as TaskVerdict,
    get: async (tenant, id) => {
      const row = await lane.maybeOne(sql.one, { tenant, id })
      return row && toView(tenant, row)
    },
    list: async (tenant, { queue, name, status, instanceId }, before, limit) =>
      (await lane.many(sql.list, { tenant, before, queue, name, status, instanceId, limit })).map((row) =>
        toView(tenant, row),
      ),
  }
}

function toView(tenant: string, row: sql.TaskRow): TaskView {
  return {
    tenant,
    id: row.id,
    instanceId: row.instance_id,
    step: row.step,
    queue: row.queue,
    name: row.name,
    payload: row.payload,
    status: row.status,
    leaseNo: row.lease_no,
    worker: row.worker ?? undefined,
    leaseEndsAt: row.status === 'claimed' ? row.due_at : undefined,
    progress: row.progress,
    createdAt: row.created_at,
    endedAt: row.ended_at ?? undefined,
  }
}
