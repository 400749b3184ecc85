import type { MembershipStore } from '@lockstep/engine/ports'
import type { Database } from './database.ts'
import type { Synchronous } from './synchronous.ts'

export function membershipTransactions(database: Database): Synchronous<MembershipStore> {
  const { tables } = database
  const freeClaims = (nodeId: string, andForgetCrashes: boolean): void => {
    for (const row of tables.agenda.values()) {
      if (row.claimedBy !== nodeId) continue
      row.claimedBy = undefined
      if (andForgetCrashes) row.crashes = 0
    }
  }
  return {
    join: (node) => {
      if (!tables.nodes.has(node.id)) tables.nodes.set(node.id, { ...node, beat: 0, doomed: false })
    },
    beat: (nodeId) => {
      const own = tables.nodes.get(nodeId)
      const alive = own !== undefined && !own.doomed
      if (alive) own.beat += 1
      return {
        alive,
        others: [...tables.nodes.values()].filter((node) => node.id !== nodeId).map(({ id, beat }) => ({ id, beat })),
      }
    },
    bury: ({ id, beat }) => {
      if (tables.nodes.get(id)?.beat !== beat) return false
      tables.nodes.delete(id)
      tables.history.push({ kind: 'buried', nodeId: id })
      freeClaims(id, false)
      return true
    },
    leave: (nodeId) => {
      freeClaims(nodeId, true)
      for (const [key, flush] of tables.flushes) if (flush.nodeId === nodeId) tables.flushes.delete(key)
      if (tables.nodes.delete(nodeId)) tables.history.push({ kind: 'left', nodeId })
    },
  }
}
