import type { EngineStore } from '@lockstep/engine/ports'
import { agendaTransactions } from './agenda-transactions.ts'
import { commitBatch, trimFlushes } from './commit-transaction.ts'
import type { Database } from './database.ts'
import { definitionTransactions } from './definition-transactions.ts'
import { definitionUsageQueries } from './definition-usage-queries.ts'
import { flowTransactions } from './flow-transactions.ts'
import { instanceQueries } from './instance-queries.ts'
import { linkedOperators } from './linked-operators.ts'
import { linkedSteps } from './linked-steps.ts'
import { maintenanceTransactions } from './maintenance-transactions.ts'
import { membershipTransactions } from './membership-transactions.ts'
import { scheduleTransactions } from './schedule-transactions.ts'
import type { SimulatedLink } from './simulated-link.ts'
import { stimulusTransactions } from './stimulus-transactions.ts'
import { humanTaskTransactions, taskTransactions } from './task-transactions.ts'
import { triggerTransactions } from './trigger-transactions.ts'
import { userTransactions } from './user-transactions.ts'

const WRITES = true
const READS = false

/** The engine's store as one node sees it through its link. */
export function linkedStore(database: Database, { call }: Pick<SimulatedLink, 'call'>): EngineStore {
  const membership = membershipTransactions(database)
  const agenda = agendaTransactions(database)
  const stimuli = stimulusTransactions(database)
  const definitions = definitionTransactions(database)
  const usage = definitionUsageQueries(database)
  const instances = instanceQueries(database)
  const schedules = scheduleTransactions(database)
  const maintenance = maintenanceTransactions(database)
  const flow = flowTransactions(database)
  const tasks = taskTransactions(database)
  const humanTasks = humanTaskTransactions(database)
  const triggers = triggerTransactions(database)
  return {
    ...linkedOperators(database, { call }),
    steps: linkedSteps(database, { call }),
    membership: {
      join: (node) => call('membership.join', WRITES, () => membership.join(node)),
      beat: (nodeId, report) => call('membership.beat', WRITES, () => membership.beat(nodeId, report)),
      suspect: (node, by) => call('membership.suspect', WRITES, () => membership.suspect(node, by)),
      bury: (node, by) => call('membership.bury', WRITES, () => membership.bury(node, by)),
      leave: (nodeId) => call('membership.leave', WRITES, () => membership.leave(nodeId)),
      order: (nodeId, wanted) => call('membership.order', WRITES, () => membership.order(nodeId, wanted)),
      note: (event) => call('membership.note', WRITES, () => membership.note(event)),
      events: (after, limit) => call('membership.events', READS, () => membership.events(after, limit)),
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
      resume: (request, taker) => call('stimuli.resume', WRITES, () => stimuli.resume(request, taker)),
      send: (message) => call('stimuli.send', WRITES, () => stimuli.send(message)),
      publish: (event, limit, taker) => call('stimuli.publish', WRITES, () => stimuli.publish(event, limit, taker)),
      match: (tenant, eventId, limit) => call('stimuli.match', WRITES, () => stimuli.match(tenant, eventId, limit)),
      settle: (limit) => call('stimuli.settle', WRITES, () => stimuli.settle(limit)),
    },
    definitions: {
      create: (tenant, id, document, by) =>
        call('definitions.create', WRITES, () => definitions.create(tenant, id, document, by)),
      draft: (tenant, id) => call('definitions.draft', READS, () => definitions.draft(tenant, id)),
      saveDraft: (tenant, id, document, revision, by) =>
        call('definitions.saveDraft', WRITES, () => definitions.saveDraft(tenant, id, document, revision, by)),
      discardDraft: (tenant, id, revision) =>
        call('definitions.discardDraft', WRITES, () => definitions.discardDraft(tenant, id, revision)),
      publish: (tenant, id, hash, revision, runs) =>
        call('definitions.publish', WRITES, () => definitions.publish(tenant, id, hash, revision, runs)),
      point: (tenant, id, version) => call('definitions.point', WRITES, () => definitions.point(tenant, id, version)),
      registerFunction: (tenant, id, version, tags) =>
        call('definitions.registerFunction', WRITES, () => definitions.registerFunction(tenant, id, version, tags)),
      version: (tenant, id, version) =>
        call('definitions.version', READS, () => definitions.version(tenant, id, version)),
      versions: (tenant, id, before, limit) =>
        call('definitions.versions', READS, () => definitions.versions(tenant, id, before, limit)),
      list: (tenant, after, limit, filter) =>
        call('definitions.list', READS, () => definitions.list(tenant, after, limit, filter)),
    },
    definitionUsage: {
      pinned: (tenant, id, version, lookAt) =>
        call('definitionUsage.pinned', READS, () => usage.pinned(tenant, id, version, lookAt)),
      consumers: (tenant, id, after, limit) =>
        call('definitionUsage.consumers', READS, () => usage.consumers(tenant, id, after, limit)),
      tenants: () => call('definitionUsage.tenants', READS, () => usage.tenants()),
    },
    instances: {
      get: (tenant, id) => call('instances.get', READS, () => instances.get(tenant, id)),
      stamped: (tenant, id) => call('instances.stamped', READS, () => instances.stamped(tenant, id)),
      stamps: (tenant, ids) => call('instances.stamps', READS, () => instances.stamps(tenant, ids)),
      statuses: (tenant, ids) => call('instances.statuses', READS, () => instances.statuses(tenant, ids)),
      journal: (tenant, id, afterSeq, limit) =>
        call('instances.journal', READS, () => instances.journal(tenant, id, afterSeq, limit)),
      outline: (tenant, id, afterSeq, limit) =>
        call('instances.outline', READS, () => instances.outline(tenant, id, afterSeq, limit)),
      list: (tenant, filter, limit) => call('instances.list', READS, () => instances.list(tenant, filter, limit)),
    },
    transactions: userTransactions(database, { call }),
    schedules: {
      look: () => call('schedules.look', READS, () => schedules.look()),
      fire: (nodeId, limit, decide) => call('schedules.fire', WRITES, () => schedules.fire(nodeId, limit, decide)),
      change: (nodeId, tenant, id, decide) =>
        call('schedules.change', WRITES, () => schedules.change(nodeId, tenant, id, decide)),
      get: (tenant, id) => call('schedules.get', READS, () => schedules.get(tenant, id)),
      list: (tenant, after, limit) => call('schedules.list', READS, () => schedules.list(tenant, after, limit)),
      owned: (tenant, owner) => call('schedules.owned', READS, () => schedules.owned(tenant, owner)),
      runs: (tenant, id, before, limit) =>
        call('schedules.runs', READS, () => schedules.runs(tenant, id, before, limit)),
      staleSources: (limit) => call('schedules.staleSources', READS, () => schedules.staleSources(limit)),
      trimSkipped: (keepMs, limit) => call('schedules.trimSkipped', WRITES, () => schedules.trimSkipped(keepMs, limit)),
      sourceApplied: (source) => call('schedules.sourceApplied', WRITES, () => schedules.sourceApplied(source)),
    },
    flow: {
      set: (...asked) => call('flow.set', WRITES, () => flow.set(...asked)),
      declare: (...asked) => call('flow.declare', WRITES, () => flow.declare(...asked)),
      get: (tenant, id) => call('flow.get', READS, () => flow.get(tenant, id)),
      list: (...asked) => call('flow.list', READS, () => flow.list(...asked)),
      start: (nodeId, starts) => call('flow.start', WRITES, () => flow.start(nodeId, starts)),
      startWithin: (...asked) => call('flow.startWithin', WRITES, () => flow.startWithin(...asked)),
      pump: (nodeId) => call('flow.pump', WRITES, () => flow.pump(nodeId)),
      standing: (tenant, id) => call('flow.standing', READS, () => flow.standing(tenant, id)),
    },
    maintenance: {
      takeTurn: (duty, nodeId, ttlMs, early) =>
        call('maintenance.takeTurn', WRITES, () => maintenance.takeTurn(duty, nodeId, ttlMs, early)),
      endTurn: (duty, nodeId, nextInMs) =>
        call('maintenance.endTurn', WRITES, () => maintenance.endTurn(duty, nodeId, nextInMs)),
      rules: (tenant, after, limit) => call('maintenance.rules', READS, () => maintenance.rules(tenant, after, limit)),
      saveRule: (name, rule) => call('maintenance.saveRule', WRITES, () => maintenance.saveRule(name, rule)),
      expired: (request) => call('maintenance.expired', WRITES, () => maintenance.expired(request)),
      remove: (request, ids) => call('maintenance.remove', WRITES, () => maintenance.remove(request, ids)),
      trim: (nodeId, ttlMs, incidentsMs, limit) =>
        call('maintenance.trim', WRITES, () => maintenance.trim(nodeId, ttlMs, incidentsMs, limit)),
      examine: (area, after, limit) =>
        call('maintenance.examine', READS, () => maintenance.examine(area, after, limit)),
      repair: (nodeId, code, rows) => call('maintenance.repair', WRITES, () => maintenance.repair(nodeId, code, rows)),
      standing: (tenant, id) => call('maintenance.standing', READS, () => maintenance.standing(tenant, id)),
    },
    tasks: {
      open: (task) => call('tasks.open', WRITES, () => tasks.open(task)),
      claim: (claim) => call('tasks.claim', WRITES, () => tasks.claim(claim)),
      look: (lookAt) => call('tasks.look', READS, () => tasks.look(lookAt)),
      beat: (...beat) => call('tasks.beat', WRITES, () => tasks.beat(...beat)),
      end: (...end) => call('tasks.end', WRITES, () => tasks.end(...end)),
      get: (tenant, id) => call('tasks.get', READS, () => tasks.get(tenant, id)),
      list: (...list) => call('tasks.list', READS, () => tasks.list(...list)),
    },
    humanTasks: {
      open: (task) => call('humanTasks.open', WRITES, () => humanTasks.open(task)),
      end: (end) => call('humanTasks.end', WRITES, () => humanTasks.end(end)),
      get: (tenant, id) => call('humanTasks.get', READS, () => humanTasks.get(tenant, id)),
      list: (...list) => call('humanTasks.list', READS, () => humanTasks.list(...list)),
      addToken: (token) => call('humanTasks.addToken', WRITES, () => humanTasks.addToken(token)),
      token: (tenant, hash) => call('humanTasks.token', READS, () => humanTasks.token(tenant, hash)),
      tokenUsed: (tenant, hash) => call('humanTasks.tokenUsed', WRITES, () => humanTasks.tokenUsed(tenant, hash)),
    },
    triggers: {
      pendingStarts: (...asked) => call('triggers.pendingStarts', READS, () => triggers.pendingStarts(...asked)),
      started: (ids) => call('triggers.started', WRITES, () => triggers.started(ids)),
      endpoint: (...asked) => call('triggers.endpoint', READS, () => triggers.endpoint(...asked)),
      taken: (...asked) => call('triggers.taken', READS, () => triggers.taken(...asked)),
      endpoints: (...asked) => call('triggers.endpoints', READS, () => triggers.endpoints(...asked)),
      answer: (...asked) => call('triggers.answer', READS, () => triggers.answer(...asked)),
    },
  }
}
