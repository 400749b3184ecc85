import type { ClusterEventKind, MembershipStore, NewClusterEvent, WantedState } from '@lockstep/engine/ports'
import type { Database } from './database.ts'
import type { Synchronous } from './synchronous.ts'
import type { NodeTableRow } from './tables.ts'

const orderKinds: Readonly<Record<WantedState, ClusterEventKind>> = {
  active: 'uncordoned',
  cordoned: 'cordoned',
  drained: 'draining',
}

export function membershipTransactions(database: Database): Synchronous<MembershipStore> {
  const { tables } = database
  const freeClaims = (nodeId: string, andForgetCrashes: boolean): void => {
    for (const row of tables.agenda.values()) {
      if (row.claimedBy !== nodeId) continue
      row.claimedBy = undefined
      if (andForgetCrashes) row.crashes = 0
    }
  }
  const note = ({ detail = {}, ...event }: NewClusterEvent): void => {
    const position = String(BigInt(database.nextTransaction()) << 20n)
    tables.clusterEvents.push({ ...event, detail, position, at: database.now() })
  }
  return {
    join: ({ id, name, version, stateFormat = 1, roles = ['api', 'worker', 'scheduler'], ...more }) => {
      const { capacity = 0, wanted = 'active' } = more
      if (tables.nodes.has(id)) return
      const unseen = { report: undefined, beat: 0, suspected: undefined, doomed: false }
      tables.nodes.set(id, { id, name, version, stateFormat, capacity, wanted, ...unseen })
      note({ kind: 'joined', nodeId: id, name, detail: { version, roles } })
    },
    beat: (nodeId, report) => {
      const own = tables.nodes.get(nodeId)
      const alive = own !== undefined && !own.doomed
      if (alive) {
        own.beat += 1
        own.report = report ?? own.report
      }
      return {
        alive,
        wanted: alive ? own.wanted : undefined,
        at: alive ? database.now() : undefined,
        others: [...tables.nodes.values()]
          .filter((node) => node.id !== nodeId)
          .map((node) => ({ id: node.id, name: node.name, beat: node.beat, room: roomOf(node) })),
      }
    },
    suspect: ({ id, beat }, by) => {
      const node = tables.nodes.get(id)
      if (node === undefined || node.beat !== beat || node.suspected === beat) return
      node.suspected = beat
      note({ kind: 'suspected', nodeId: id, name: node.name, detail: { by } })
    },
    bury: ({ id, beat }, by) => {
      const node = tables.nodes.get(id)
      if (node?.beat !== beat) return false
      tables.nodes.delete(id)
      tables.history.push({ kind: 'buried', nodeId: id })
      note({ kind: 'buried', nodeId: id, name: node.name, detail: by === undefined ? {} : { by } })
      freeClaims(id, false)
      return true
    },
    leave: (nodeId) => {
      freeClaims(nodeId, true)
      for (const [key, flush] of tables.flushes) if (flush.nodeId === nodeId) tables.flushes.delete(key)
      const node = tables.nodes.get(nodeId)
      if (node === undefined) return
      tables.nodes.delete(nodeId)
      tables.history.push({ kind: 'left', nodeId })
      note({ kind: 'left', nodeId, name: node.name })
    },
    order: (nodeId, wanted) => {
      const node = tables.nodes.get(nodeId)
      if (node === undefined || node.doomed) return false
      if (node.wanted !== wanted) note({ kind: orderKinds[wanted], nodeId, name: node.name })
      node.wanted = wanted
      return true
    },
    note,
    events: (after, limit) =>
      tables.clusterEvents.filter(({ position }) => BigInt(position) > BigInt(after)).slice(0, limit),
  }
}

const roomOf = ({ capacity, report }: NodeTableRow): number =>
  (report?.state ?? 'active') === 'active' ? Math.max(0, capacity - (report?.held ?? 0)) : 0
