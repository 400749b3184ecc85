import type { EngineStore } from '@lockstep/engine/ports'
import type { Database } from './database.ts'
import { incidentTransactions } from './incident-transactions.ts'
import { operationTransactions } from './operation-transactions.ts'
import type { SimulatedLink } from './simulated-link.ts'
import { verbTransactions } from './verb-transactions.ts'

const WRITES = true
const READS = false

/** What operators do, as one node sees it through its link. */
export function linkedOperators(
  database: Database,
  { call }: Pick<SimulatedLink, 'call'>,
): Pick<EngineStore, 'verbs' | 'incidents' | 'operations'> {
  const verbs = verbTransactions(database)
  const incidents = incidentTransactions(database)
  const operations = operationTransactions(database)
  return {
    verbs: {
      send: (message) => call('verbs.send', WRITES, () => verbs.send(message)),
      retry: (message) => call('verbs.retry', WRITES, () => verbs.retry(message)),
      fork: (item) => call('verbs.fork', WRITES, () => verbs.fork(item)),
      erase: (request) => call('verbs.erase', WRITES, () => verbs.erase(request)),
      revise: (revision) => call('verbs.revise', WRITES, () => verbs.revise(revision)),
      handOver: (nodeId, instanceId, claimNo, queue) =>
        call('verbs.handOver', WRITES, () => verbs.handOver(nodeId, instanceId, claimNo, queue)),
      pinned: (tenant, definitionId, version, page) =>
        call('verbs.pinned', READS, () => verbs.pinned(tenant, definitionId, version, page)),
      children: (tenant, parentId, after, limit) =>
        call('verbs.children', READS, () => verbs.children(tenant, parentId, after, limit)),
    },
    incidents: {
      list: (tenant, filter, before, limit) =>
        call('incidents.list', READS, () => incidents.list(tenant, filter, before, limit)),
      get: (tenant, id) => call('incidents.get', READS, () => incidents.get(tenant, id)),
      groups: (tenant, filter, limit) => call('incidents.groups', READS, () => incidents.groups(tenant, filter, limit)),
      tend: (tending) => call('incidents.tend', WRITES, () => incidents.tend(tending)),
      countOpen: (tenant) => call('incidents.countOpen', READS, () => incidents.countOpen(tenant)),
      lastResolved: (tenant) => call('incidents.lastResolved', READS, () => incidents.lastResolved(tenant)),
      resolve: (resolution) => call('incidents.resolve', WRITES, () => incidents.resolve(resolution)),
    },
    operations: {
      create: (operation) => call('operations.create', WRITES, () => operations.create(operation)),
      get: (tenant, id) => call('operations.get', READS, () => operations.get(tenant, id)),
      list: (tenant, before, limit) => call('operations.list', READS, () => operations.list(tenant, before, limit)),
      steer: (tenant, id, wish) => call('operations.steer', WRITES, () => operations.steer(tenant, id, wish)),
      items: (tenant, id, page, limit) =>
        call('operations.items', READS, () => operations.items(tenant, id, page, limit)),
      next: () => call('operations.next', READS, () => operations.next()),
      freeze: (tenant, id, lookAt) => call('operations.freeze', WRITES, () => operations.freeze(tenant, id, lookAt)),
      pending: (tenant, id, limit) => call('operations.pending', WRITES, () => operations.pending(tenant, id, limit)),
      settle: (tenant, id, items) => call('operations.settle', WRITES, () => operations.settle(tenant, id, items)),
      preview: (tenant, filter, meant, bounds) =>
        call('operations.preview', READS, () => operations.preview(tenant, filter, meant, bounds)),
    },
  }
}
