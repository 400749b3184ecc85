import {
  type Beat,
  type ClusterEvent,
  type ClusterEventKind,
  type MembershipStore,
  nodeRoles,
  type SeenNode,
  type WantedState,
} from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import { sqlstateOf } from '../db/errors.ts'
import * as sql from './membership.sql.ts'

/** Short: a burial that is blocked is tried again after the dead node's connections were ended. */
const BURIAL_LOCK_TIMEOUT = `set local lock_timeout = '300ms'`
const LOCK_NOT_AVAILABLE = '55P03'

const orderKinds: Readonly<Record<WantedState, ClusterEventKind>> = {
  active: 'uncordoned',
  cordoned: 'cordoned',
  drained: 'draining',
}

export function postgresMembership(db: Db, application: string | undefined): MembershipStore {
  const lane = db.lane('control')
  return {
    join: async ({ roles = nodeRoles, capacity = 0, wanted = 'active', stateFormat = 1, ...node }) => {
      await lane.run(sql.join, { ...node, roles, capacity, wanted, stateFormat, application })
    },
    beat: async (id, report) => {
      const { state, held, skewMs } = report ?? {}
      return toBeat(await lane.many(sql.beat, { id, state, held, skewMs }))
    },
    suspect: async (node, by) => {
      await lane.run(sql.suspect, { ...node, by })
    },
    bury: async (node, by) => {
      if ((await lane.run(sql.doom, node)) === 0) return false
      return bury(db, node, by)
    },
    leave: (id) =>
      lane.transaction(async (tx) => {
        await tx.run(sql.freeClaims, { id })
        await tx.run(sql.dropFlushes, { id })
        await tx.run(sql.leave, { id })
      }),
    order: async (id, wanted) => {
      const told = await lane.maybeOne(sql.order, { id, wanted, kind: orderKinds[wanted] })
      return told !== undefined
    },
    note: async ({ kind, nodeId, name, detail = {} }) => {
      await lane.run(sql.note, { kind, nodeId, name, detail: JSON.stringify(detail) })
    },
    events: async (after, limit) => (await lane.many(sql.events, { after, limit })).map(toEvent),
  }
}

function toBeat(rows: readonly sql.BeatRow[]): Beat {
  const own = rows.find((row) => row.own)
  return {
    alive: own !== undefined,
    wanted: own?.wanted === null ? undefined : (own?.wanted as WantedState | undefined),
    at: own?.at ?? undefined,
    others: rows
      .filter((row) => !row.own)
      .map(({ id, name, beat, room }) => ({ id, ...(name !== null && { name }), beat: Number(beat), room: room ?? 0 })),
  }
}

const toEvent = ({ pos, at, kind, node_id, name, detail }: sql.ClusterEventRow): ClusterEvent => ({
  position: pos,
  at,
  kind: kind as ClusterEventKind,
  nodeId: node_id,
  name,
  detail,
})

async function bury(db: Db, node: SeenNode, by: string | undefined): Promise<boolean> {
  const lane = db.lane('control')
  try {
    return await lane.transaction(async (tx) => {
      await tx.script(BURIAL_LOCK_TIMEOUT)
      return (await tx.run(sql.bury, { id: node.id, by })) === 1
    })
  } catch (error) {
    if (sqlstateOf(error) !== LOCK_NOT_AVAILABLE) throw error
    await lane.many(sql.endBackends, { id: node.id })
    return false
  }
}
