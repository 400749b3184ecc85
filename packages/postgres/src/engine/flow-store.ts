import { errorMessage } from '@lockstep/base'
import {
  Fenced,
  type FlowPolicyRow,
  type FlowStanding,
  type FlowStore,
  type FlowVerdict,
  type PumpAnswer,
} from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import { DatabaseTimeout, sqlstateOf } from '../db/errors.ts'
import { FENCED } from './fenced.ts'
import * as sql from './flow.sql.ts'
import { flowColumns } from './flow-columns.ts'

/** Of each kind of thing to do, in one transaction. */
const PUMP_LIMIT = 200
/** A start that met another transaction's locks in the wrong order was rolled back as a whole. */
const DEADLOCK = '40P01'
const MOST_DEADLOCKS = 5
/** Somebody holds the policy for longer: ask again. */
const LOCKED = '55P03'

export function postgresFlow(db: Db): FlowStore {
  const api = db.lane('api')
  const work = db.lane('work')
  return {
    set: async (tenant, id, policy, expected) => {
      const { outcome, revision } = await api.one(sql.set, { tenant, id, policy, expected })
      return outcome === 'not-found' ? { kind: outcome } : { kind: outcome, revision: revision! }
    },
    declare: async (tenant, id, version, policy) => {
      await api.maybeOne(sql.declare, { tenant, id, version, policy })
    },
    get: async (tenant, id) => {
      const row = await api.maybeOne(sql.one, { tenant, id })
      return row && { ...toPolicy(row), waiting: row.waiting, alive: row.alive, gathering: row.gathering }
    },
    list: async (tenant, after, limit) => (await api.many(sql.list, { tenant, after, limit })).map(toPolicy),
    start: (nodeId, starts) =>
      unlessFenced(nodeId, async () => {
        // Not in the lane of the workers: a start may have to wait for a transaction of the user's.
        const rows = await api.many(sql.start, flowColumns(nodeId, starts, false))
        const byItem = new Map(rows.map((row) => [row.item, row]))
        return starts.map((_, index) => toVerdict(byItem.get(index + 1)!))
      }),
    startWithin: async (tx, nodeId, start) => {
      const values = sql.startValues(flowColumns(nodeId, [start], true))
      const [row] = await tx.query<sql.StartAnswerRow>(
        sql.startText(`${db.schema}.`),
        values.map((value) => (Array.isArray(value) ? value.map((each) => each ?? null) : value)),
      )
      return toVerdict(row!)
    },
    pump: (nodeId) =>
      unlessFenced(nodeId, async () => toPumped(await work.one(sql.pump, { node: nodeId, limit: PUMP_LIMIT }))),
    standing: async (tenant, id) => {
      const row = await api.maybeOne(sql.standing, { tenant, id })
      return row && toStanding(row)
    },
  }
}

async function unlessFenced<T>(nodeId: string, run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run()
    } catch (error) {
      if (sqlstateOf(error) === FENCED) throw new Fenced({ nodeId }, { cause: error })
      if (sqlstateOf(error) === LOCKED)
        throw new DatabaseTimeout({ statement: sql.start.name, reason: errorMessage(error) }, { cause: error })
      if (sqlstateOf(error) !== DEADLOCK || attempt >= MOST_DEADLOCKS) throw error
    }
  }
}

const toPolicy = (row: sql.PolicyTableRow): FlowPolicyRow => ({
  tenant: row.tenant,
  definitionId: row.definition_id,
  revision: row.revision,
  declared: row.declared ?? undefined,
  chosen: row.chosen ?? undefined,
  policy: row.policy ?? undefined,
  updatedAt: row.updated_at,
})

function toVerdict(row: sql.StartAnswerRow): FlowVerdict {
  const { verdict, version, instance_id: instanceId, here, retry_in: retryInMs, at, woken } = row
  switch (verdict) {
    case 'started':
      return { kind: verdict, version: version!, here, at, woken }
    case 'queued':
      return { kind: verdict, version: version!, replaced: row.replaced, woken }
    case 'gathered':
      return { kind: verdict, instanceId, woken }
    case 'attached':
    case 'duplicate':
    case 'busy':
      return { kind: verdict, instanceId }
    case 'throttled':
      return { kind: verdict, retryInMs: retryInMs ?? 0 }
    case 'changed':
    case 'plain':
      return { kind: verdict }
    default:
      return { kind: 'unknown-definition' }
  }
}

const toPumped = (row: sql.PumpRow): PumpAnswer => ({
  admitted: row.admitted,
  nextInMs: row.next_in ?? undefined,
  more: row.more,
  waiting: (row.waiting ?? []).map(([tenant, definitionId]) => ({ tenant, definitionId })),
  arrived: row.arrived ?? [],
})

function toStanding(row: sql.FlowStandingRow): FlowStanding {
  const keys = { singleton: row.single_key, concurrency: row.slot_key, rate: row.rate_key }
  return {
    state: row.state,
    blocked: row.blocked ?? undefined,
    key: row.blocked === null ? (row.gather ?? '') : keys[row.blocked],
    ahead: row.ahead,
    priority: row.priority,
    since: row.since,
    movesAt: row.release_at ?? (row.blocked === 'rate' ? (row.look_at ?? undefined) : undefined),
    size: row.size,
    policy: row.policy ?? undefined,
  }
}
