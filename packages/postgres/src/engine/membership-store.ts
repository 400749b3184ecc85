import type { MembershipStore, SeenNode } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import { sqlstateOf } from '../db/errors.ts'
import * as sql from './membership.sql.ts'

/** Short: a burial that is blocked is tried again after the dead node's connections were ended. */
const BURIAL_LOCK_TIMEOUT = `set local lock_timeout = '300ms'`
const LOCK_NOT_AVAILABLE = '55P03'

export function postgresMembership(db: Db, application: string | undefined): MembershipStore {
  const lane = db.lane('control')
  return {
    join: async (node) => {
      await lane.run(sql.join, { ...node, application })
    },
    beat: async (id) => {
      const rows = await lane.many(sql.beat, { id })
      return {
        alive: rows.some((row) => row.own),
        others: rows.filter((row) => !row.own).map((row) => ({ id: row.id, beat: Number(row.beat) })),
      }
    },
    bury: async (node) => {
      if ((await lane.run(sql.doom, node)) === 0) return false
      return bury(db, node)
    },
    leave: (id) =>
      lane.transaction(async (tx) => {
        await tx.run(sql.freeClaims, { id })
        await tx.run(sql.dropFlushes, { id })
        await tx.run(sql.leave, { id })
      }),
  }
}

async function bury(db: Db, node: SeenNode): Promise<boolean> {
  const lane = db.lane('control')
  try {
    return await lane.transaction(async (tx) => {
      await tx.script(BURIAL_LOCK_TIMEOUT)
      return (await tx.run(sql.bury, { id: node.id })) === 1
    })
  } catch (error) {
    if (sqlstateOf(error) !== LOCK_NOT_AVAILABLE) throw error
    await lane.many(sql.endBackends, { id: node.id })
    return false
  }
}
