import type { EngineStore } from '@lockstep/engine/ports'
import { agendaTransactions } from './agenda-transactions.ts'
import { commitBatch, trimFlushes } from './commit-transaction.ts'
import type { Database } from './database.ts'
import { definitionTransactions } from './definition-transactions.ts'
import { instanceQueries } from './instance-queries.ts'
import { membershipTransactions } from './membership-transactions.ts'
import type { SimulatedLink } from './simulated-link.ts'
import { stimulusTransactions } from './stimulus-transactions.ts'
import { userTransactions } from './user-transactions.ts'

const WRITES = true
const READS = false

/** The engine's store as one node sees it through its link. */
export function linkedStore(database: Database, { call }: Pick<SimulatedLink, 'call'>): EngineStore {
  const membership = membershipTransactions(database)
  const agenda = agendaTransactions(database)
  const stimuli = stimulusTransactions(database)
  const definitions = definitionTransactions(database)
  const instances = instanceQueries(database)
  return {
    membership: {
      join: (node) => call('membership.join', WRITES, () => membership.join(node)),
      beat: (nodeId) => call('membership.beat', WRITES, () => membership.beat(nodeId)),
      bury: (node) => call('membership.bury', WRITES, () => membership.bury(node)),
      leave: (nodeId) => call('membership.leave', WRITES, () => membership.leave(nodeId)),
    },
    commits: {
      commit: (batch) => call('commits.commit', WRITES, () => commitBatch(database, batch)),
      trim: (nodeId, before) => call('commits.trim', WRITES, () => trimFlushes(database, nodeId, before)),
    },
    agenda: {
      claim: (request) => call('agenda.claim', WRITES, () => agenda.claim(request)),
      claims: (nodeId) => call('agenda.claims', READS, () => agenda.claims(nodeId)),
      load: (ids) => call('agenda.load', READS, () => agenda.load(ids)),
      inbox: (ids) => call('agenda.inbox', READS, () => agenda.inbox(ids)),
      release: (nodeId, ids) => call('agenda.release', WRITES, () => agenda.release(nodeId, ids)),
    },
    stimuli: {
      resume: (request) => call('stimuli.resume', WRITES, () => stimuli.resume(request)),
      send: (message) => call('stimuli.send', WRITES, () => stimuli.send(message)),
      publish: (event) => call('stimuli.publish', WRITES, () => stimuli.publish(event)),
      match: (tenant, eventId, limit) => call('stimuli.match', WRITES, () => stimuli.match(tenant, eventId, limit)),
      settle: (limit) => call('stimuli.settle', WRITES, () => stimuli.settle(limit)),
    },
    definitions: {
      create: (tenant, id, document) =>
        call('definitions.create', WRITES, () => definitions.create(tenant, id, document)),
      draft: (tenant, id) => call('definitions.draft', READS, () => definitions.draft(tenant, id)),
      saveDraft: (tenant, id, document, revision) =>
        call('definitions.saveDraft', WRITES, () => definitions.saveDraft(tenant, id, document, revision)),
      publish: (tenant, id, hash, revision) =>
        call('definitions.publish', WRITES, () => definitions.publish(tenant, id, hash, revision)),
      registerFunction: (tenant, id, version) =>
        call('definitions.registerFunction', WRITES, () => definitions.registerFunction(tenant, id, version)),
      version: (tenant, id, version) =>
        call('definitions.version', READS, () => definitions.version(tenant, id, version)),
      list: (tenant, after, limit) => call('definitions.list', READS, () => definitions.list(tenant, after, limit)),
    },
    instances: {
      get: (tenant, id) => call('instances.get', READS, () => instances.get(tenant, id)),
      status: (tenant, id) => call('instances.status', READS, () => instances.status(tenant, id)),
      journal: (tenant, id, afterSeq, limit) =>
        call('instances.journal', READS, () => instances.journal(tenant, id, afterSeq, limit)),
      list: (tenant, filter, limit) => call('instances.list', READS, () => instances.list(tenant, filter, limit)),
    },
    transactions: userTransactions(database, { call }),
  }
}
