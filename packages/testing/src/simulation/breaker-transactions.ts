import {
  type BreakerName,
  type BreakerNote,
  type BreakerStore,
  MOST_CHANGES,
  notedReason,
  type ProgressStore,
  type StoredBreaker,
} from '@lockstep/engine/ports'
import type { Database } from './database.ts'
import { type BreakerTableRow, stepsOf } from './step-tables.ts'
import { stimulate } from './stimulate.ts'
import type { Synchronous } from './synchronous.ts'
import { keyOf } from './tables.ts'

export function breakerTransactions(database: Database): Synchronous<BreakerStore> {
  const { tables } = database
  const find = ({ tenant, key }: BreakerName): BreakerTableRow | undefined =>
    stepsOf(tables).breakers.get(keyOf(tenant, key))
  const note = (row: BreakerTableRow, { reason, nodeId, by }: BreakerNote): void => {
    const change = { state: row.state, at: row.changedAt, reason: reason && notedReason(reason), nodeId, by }
    const nodeName = nodeId === undefined ? undefined : tables.nodes.get(nodeId)?.name
    row.history = [{ ...change, nodeName }, ...row.history].slice(0, MOST_CHANGES)
  }
  const change = (row: BreakerTableRow, to: Partial<BreakerTableRow>, said: BreakerNote): void => {
    Object.assign(row, to, { generation: row.generation + 1, changedAt: database.now() })
    note(row, said)
  }
  const view = (row: BreakerTableRow): StoredBreaker => ({
    ...{ tenant: row.tenant, key: row.key, state: row.state, generation: row.generation },
    openForMs: row.state === 'closed' ? 0 : Math.max(0, row.openUntil - database.now()),
    openedAt: row.openedAt,
    reason: row.reason,
    probeForMs: row.probeNode === undefined ? undefined : Math.max(0, row.probeUntil! - database.now()),
    probeNode: row.probeNode,
    changedAt: row.changedAt,
  })
  return {
    read: (names) => names.flatMap((name) => find(name) ?? []).map(view),
    trip: ({ tenant, key, openMs, needed, reason }, generation, more) => {
      const said = { reason, ...more }
      const now = database.now()
      const opened = {
        state: 'open',
        openMs,
        needed,
        reason,
        passed: 0,
        openedAt: now,
        openUntil: now + openMs,
      } as const
      const probe = { probeNode: undefined, probeUntil: undefined }
      const row = find({ tenant, key })
      if (row === undefined) {
        if (generation !== undefined && generation !== 0) return false
        const fresh = { tenant, key, generation: 1, changedAt: now, history: [], ...opened, ...probe }
        stepsOf(tables).breakers.set(keyOf(tenant, key), fresh)
        note(fresh, said)
        return true
      }
      if (generation !== undefined && (row.state !== 'closed' || row.generation !== generation)) return false
      change(row, { ...opened, ...probe }, said)
      return true
    },
    probe: (name, nodeId, probeMs) => {
      const row = find(name)
      const now = database.now()
      if (row === undefined || row.state === 'closed' || row.openUntil > now) return undefined
      if (row.probeNode !== undefined && row.probeUntil! > now) return undefined
      change(row, { state: 'half-open', probeNode: nodeId, probeUntil: now + probeMs }, { nodeId })
      return row.generation
    },
    settle: (name, nodeId, generation, passed, reason) => {
      const row = find(name)
      if (row === undefined || row.probeNode !== nodeId || row.generation !== generation) return false
      const probe = { probeNode: undefined, probeUntil: undefined }
      if (passed) {
        const state = row.passed + 1 >= row.needed ? 'closed' : 'half-open'
        change(row, { ...probe, state, passed: row.passed + 1 }, { nodeId, reason })
      } else {
        const open = { ...probe, state: 'open', passed: 0, openUntil: database.now() + row.openMs } as const
        change(row, open, { nodeId, reason })
      }
      return true
    },
    reset: (name, said = {}) => {
      const row = find(name)
      if (row === undefined) return undefined
      const closed = {
        state: 'closed',
        passed: 0,
        probeNode: undefined,
        probeUntil: undefined,
        reason: undefined,
      } as const
      change(row, closed, said)
      const waiting = [...stepsOf(tables).permits.values()]
        .filter(({ kind, tenant, key }) => kind === 'breaker' && tenant === name.tenant && key === name.key)
        .filter(({ untilAt, instanceId }) => untilAt! > database.now() && tables.agenda.has(instanceId))
        .map(({ instanceId }) => instanceId)
      stimulate(database, waiting)
      return waiting
    },
    list: (tenant, after, limit) =>
      [...stepsOf(tables).breakers.values()]
        .filter((row) => row.tenant === tenant && row.key > after)
        .sort((a, b) => (a.key < b.key ? -1 : 1))
        .slice(0, limit)
        .map(view),
    waiting: (names, most) =>
      names.flatMap((name) =>
        (find(name)?.state === 'closed' ? [] : [...stepsOf(tables).permits.values()])
          .filter(({ kind, tenant, key }) => kind === 'breaker' && tenant === name.tenant && key === name.key)
          .filter(({ untilAt }) => untilAt! > database.now())
          .slice(0, most)
          .map(({ tenant, key, instanceId, step }) => ({ tenant, key, instanceId, step })),
      ),
    changes: (names) => names.flatMap((name) => (find(name)?.history ?? []).map((each) => ({ ...name, ...each }))),
  }
}

export function progressTransactions(database: Database): Synchronous<ProgressStore> {
  const rows = () => stepsOf(database.tables).progress
  const idOf = (name: { readonly tenant: string; readonly instanceId: string; readonly step: string }): string =>
    keyOf(name.tenant, name.instanceId, name.step)
  return {
    write: (words) => {
      for (const word of words) {
        const before = rows().get(idOf(word))
        if (before !== undefined && before.attempt > word.attempt) continue
        const said = Object.fromEntries(Object.entries(word).filter(([, value]) => value !== undefined))
        rows().set(idOf(word), { ...word, ...before, ...said, at: database.now() })
      }
    },
    drop: (names) => {
      for (const name of names) rows().delete(idOf(name))
    },
    read: (tenant, instanceId) =>
      [...rows().values()].filter((row) => row.tenant === tenant && row.instanceId === instanceId),
    beats: (names) =>
      names.flatMap((name) => {
        const { beat, tenant, instanceId, step } = rows().get(idOf(name)) ?? { ...name, beat: undefined }
        return beat === undefined ? [] : [{ tenant, instanceId, step, beat }]
      }),
  }
}
