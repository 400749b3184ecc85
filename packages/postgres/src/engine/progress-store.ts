import type { Json } from '@lockstep/base'
import type { ProgressName, ProgressStore } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import * as sql from './progress.sql.ts'

const MOST_STEPS = 1_000

export function postgresProgress(db: Db): ProgressStore {
  const work = db.lane('work')
  return {
    write: async (rows) => {
      const sorted = [...rows].sort(byName)
      await work.run(sql.write, {
        ...nameColumns(sorted),
        attempts: sorted.map((row) => row.attempt),
        fractions: sorted.map((row) => row.fraction),
        dones: sorted.map((row) => row.done),
        totals: sorted.map((row) => row.total),
        notes: sorted.map((row) => row.note),
        // Each in an array of its own: JSON null is a beat, an empty array is none.
        beats: JSON.stringify(sorted.map((row) => (row.beat === undefined ? [] : [row.beat]))),
      })
    },
    drop: async (names) => {
      await work.run(sql.drop, nameColumns(names))
    },
    read: async (tenant, id) =>
      (await db.lane('api').many(sql.read, { tenant, id, most: MOST_STEPS })).map((row) => ({
        tenant: row.tenant,
        instanceId: row.instance_id,
        step: row.step,
        attempt: row.attempt,
        fraction: row.fraction ?? undefined,
        done: row.done ?? undefined,
        total: row.total ?? undefined,
        note: row.note ?? undefined,
        beat: row.has_beat ? (row.beat as Json) : undefined,
        at: row.at,
      })),
    beats: async (names) =>
      (await work.many(sql.beats, nameColumns(names))).map((row) => ({
        tenant: row.tenant,
        instanceId: row.instance_id,
        step: row.step,
        beat: row.beat as Json,
      })),
  }
}

const nameColumns = (names: readonly ProgressName[]): sql.ProgressColumns => ({
  tenants: names.map((name) => name.tenant),
  instances: names.map((name) => name.instanceId),
  steps: names.map((name) => name.step),
})

/** One order for all: two batches that meet in several rows must not wait for each other. */
function byName(a: ProgressName, b: ProgressName): number {
  const [left, right] = [`${a.instanceId} ${a.step}`, `${b.instanceId} ${b.step}`]
  return left < right ? -1 : left > right ? 1 : 0
}
