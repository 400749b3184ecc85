import type { StepControlStore } from '@lockstep/engine/ports'
import { breakerTransactions, progressTransactions } from './breaker-transactions.ts'
import type { Database } from './database.ts'
import { limitTransactions } from './limit-transactions.ts'
import { partTransactions } from './part-transactions.ts'
import type { SimulatedLink } from './simulated-link.ts'

const WRITES = true
const READS = false

/** What decides whether a step may run, as one node sees it through its link. */
export function linkedSteps(database: Database, { call }: Pick<SimulatedLink, 'call'>): StepControlStore {
  const limits = limitTransactions(database)
  const breakers = breakerTransactions(database)
  const progress = progressTransactions(database)
  const parts = partTransactions(database)
  return {
    limits: {
      exchange: (nodeId, ends, asks, patienceMs) =>
        call('limits.exchange', WRITES, () => limits.exchange(nodeId, ends, asks, patienceMs)),
      waitedFor: (limit) => call('limits.waitedFor', READS, () => limits.waitedFor(limit)),
      noteBreakers: (waits) => call('limits.noteBreakers', WRITES, () => limits.noteBreakers(waits)),
      waits: (tenant, id) => call('limits.waits', READS, () => limits.waits(tenant, id)),
      set: (tenant, key, rule) => call('limits.set', WRITES, () => limits.set(tenant, key, rule)),
      get: (tenant, key) => call('limits.get', READS, () => limits.get(tenant, key)),
      list: (tenant, after, limit) => call('limits.list', READS, () => limits.list(tenant, after, limit)),
      trim: (unusedMs, limit) => call('limits.trim', WRITES, () => limits.trim(unusedMs, limit)),
    },
    breakers: {
      read: (names) => call('breakers.read', READS, () => breakers.read(names)),
      trip: (trip, generation, note) => call('breakers.trip', WRITES, () => breakers.trip(trip, generation, note)),
      probe: (name, nodeId, probeMs) => call('breakers.probe', WRITES, () => breakers.probe(name, nodeId, probeMs)),
      settle: (name, nodeId, generation, passed, reason) =>
        call('breakers.settle', WRITES, () => breakers.settle(name, nodeId, generation, passed, reason)),
      reset: (name, note) => call('breakers.reset', WRITES, () => breakers.reset(name, note)),
      list: (tenant, after, limit) => call('breakers.list', READS, () => breakers.list(tenant, after, limit)),
      waiting: (names, most) => call('breakers.waiting', READS, () => breakers.waiting(names, most)),
      changes: (names) => call('breakers.changes', READS, () => breakers.changes(names)),
    },
    progress: {
      write: (rows) => call('progress.write', WRITES, () => progress.write(rows)),
      drop: (names) => call('progress.drop', WRITES, () => progress.drop(names)),
      read: (tenant, id) => call('progress.read', READS, () => progress.read(tenant, id)),
      beats: (names) => call('progress.beats', READS, () => progress.beats(names)),
    },
    parts: {
      add: (nodeId, added, most) => call('parts.add', WRITES, () => parts.add(nodeId, added, most)),
      addOfTask: (...of) => call('parts.addOfTask', WRITES, () => parts.addOfTask(...of)),
      read: (tenant, id, after, limit) => call('parts.read', READS, () => parts.read(tenant, id, after, limit)),
      count: (tenant, id, step) => call('parts.count', READS, () => parts.count(tenant, id, step)),
      marks: (names) => call('parts.marks', READS, () => parts.marks(names)),
    },
  }
}
