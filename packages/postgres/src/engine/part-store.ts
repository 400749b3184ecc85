import type { Json } from '@lockstep/base'
import { Fenced, type PartStore, type PartVerdict, type TaskVerdict } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import { sqlstateOf } from '../db/errors.ts'
import { FENCED } from './fenced.ts'
import * as sql from './part.sql.ts'

export function postgresParts(db: Db): PartStore {
  const work = db.lane('work')
  const api = db.lane('api')
  return {
    add: async (nodeId, parts, most) => {
      try {
        const { verdicts } = await work.one(sql.add, {
          nodeId,
          most,
          tenants: parts.map((part) => part.tenant),
          instances: parts.map((part) => part.instanceId),
          steps: parts.map((part) => part.step),
          numbers: parts.map((part) => part.stepNumber),
          values: parts.map((part) => part.value),
        })
        return verdicts as readonly PartVerdict[]
      } catch (error) {
        if (sqlstateOf(error) === FENCED) throw new Fenced({ nodeId }, { cause: error })
        throw error
      }
    },
    addOfTask: async (tenant, taskId, leaseNo, from, values, most) => {
      const row = await api.one(sql.addOfTask, { tenant, taskId, leaseNo, from, values: JSON.stringify(values), most })
      return { verdict: row.verdict as TaskVerdict, part: row.part as PartVerdict }
    },
    read: async (tenant, id, after, limit) => {
      const rows = await api.many(sql.read, { tenant, id, after, limit })
      const [first] = rows
      if (first === undefined) return undefined
      const parts = rows
        .filter((row) => row.no !== null)
        .map((row) => ({
          number: row.no!,
          step: row.step!,
          stepNumber: row.step_no!,
          value: row.value as Json,
          at: row.at!,
        }))
      return { parts, status: first.status, ended: first.ended }
    },
    count: async (tenant, id, step) => (await work.one(sql.count, { tenant, id, step })).count,
    marks: async (names) => {
      const tenants = names.map((name) => name.tenant)
      const instances = names.map((name) => name.instanceId)
      return (await api.many(sql.marks, { tenants, instances })).map((row) => ({
        tenant: row.tenant,
        instanceId: row.instance_id,
        last: row.last,
        ended: row.ended,
        spokeAt: row.spoke_at ?? undefined,
      }))
    },
  }
}
