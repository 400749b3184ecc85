import type { HumanTaskStore, HumanTaskVerdict, HumanTaskView } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import * as sql from './human-task.sql.ts'
import { unlessDeadlock } from './stimulus-store.ts'
import { sweep } from './task.sql.ts'

/** New tasks between two sweeps of old ones. */
const SWEEP_EVERY = 50

export function postgresHumanTasks(db: Db): HumanTaskStore {
  const lane = db.lane('api')
  let opened = 0
  return {
    open: async (task) => {
      await lane.run(sql.open, task)
      if (opened++ % SWEEP_EVERY === 0) await lane.maybeOne(sweep)
    },
    end: async (end) => (await unlessDeadlock(() => lane.one(sql.end, end))).verdict as HumanTaskVerdict,
    get: async (tenant, id) => {
      const row = await lane.maybeOne(sql.one, { tenant, id })
      return row && toView(tenant, row)
    },
    list: async (tenant, { status, assignee, candidate, instanceId }, before, limit) =>
      (await lane.many(sql.list, { tenant, before, status, assignee, candidate, instanceId, limit })).map((row) =>
        toView(tenant, row),
      ),
    addToken: async (token) => (await lane.maybeOne(sql.addToken, token))?.expires_at,
    token: async (tenant, hash) => {
      const row = await lane.maybeOne(sql.token, { tenant, hash })
      return (
        row && {
          bookmarkId: row.bookmark_id,
          instanceId: row.instance_id,
          kind: row.kind ?? undefined,
          name: row.name ?? undefined,
          isExpired: row.expired,
          isUsed: row.used,
          expiresAt: row.expires_at,
        }
      )
    },
    tokenUsed: async (tenant, hash) => {
      await lane.run(sql.tokenUsed, { tenant, hash })
    },
  }
}

function toView(tenant: string, row: sql.HumanTaskRow): HumanTaskView {
  return {
    tenant,
    id: row.id,
    instanceId: row.instance_id,
    step: row.step,
    title: row.title,
    description: row.description ?? undefined,
    form: row.form,
    outcomes: row.outcomes,
    assignee: row.assignee ?? undefined,
    candidates: row.candidates,
    dueAt: row.due_at ?? undefined,
    status: row.status,
    outcome: row.outcome ?? undefined,
    completedBy: row.completed_by ?? undefined,
    createdAt: row.created_at,
    endedAt: row.ended_at ?? undefined,
  }
}
