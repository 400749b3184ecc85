import type { EngineStore } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import { postgresAgenda } from './agenda-store.ts'
import { postgresBreakers } from './breaker-store.ts'
import { postgresCommits } from './commit-store.ts'
import { postgresDefinitions } from './definition-store.ts'
import { postgresDefinitionUsage } from './definition-usage-store.ts'
import { postgresFlow } from './flow-store.ts'
import { type HistoryGuard, historyGuard } from './history-guard.ts'
import { postgresHumanTasks } from './human-task-store.ts'
import { postgresIncidents } from './incident-store.ts'
import { postgresInstances } from './instance-reader.ts'
import { postgresLimits } from './limit-store.ts'
import { postgresMaintenance } from './maintenance-store.ts'
import { postgresMembership } from './membership-store.ts'
import { postgresParts } from './part-store.ts'
import { postgresProgress } from './progress-store.ts'
import { postgresSchedules } from './schedule-store.ts'
import { postgresStimuli } from './stimulus-store.ts'
import { postgresTasks } from './task-store.ts'
import { postgresTransactions } from './transaction-store.ts'
import { postgresTriggers } from './trigger-store.ts'
import { postgresOperations } from './verb-operation-store.ts'
import { postgresVerbs } from './verb-store.ts'

export interface EngineStoreOptions {
  /** The one whose `check` runs on every new connection of `db`. */
  readonly guard?: HistoryGuard
  /** `application_name` of the connections of `db`. */
  readonly application?: string
}

/** The engine's store on a migrated database, on a server or embedded. */
export function postgresEngineStore(
  db: Db,
  { guard = historyGuard(), application }: EngineStoreOptions = {},
): EngineStore {
  return {
    membership: postgresMembership(db, application),
    commits: postgresCommits(db, guard),
    agenda: postgresAgenda(db),
    stimuli: postgresStimuli(db),
    definitions: postgresDefinitions(db),
    definitionUsage: postgresDefinitionUsage(db),
    instances: postgresInstances(db),
    transactions: postgresTransactions(db),
    schedules: postgresSchedules(db),
    maintenance: postgresMaintenance(db),
    flow: postgresFlow(db),
    verbs: postgresVerbs(db),
    incidents: postgresIncidents(db),
    operations: postgresOperations(db),
    steps: {
      limits: postgresLimits(db),
      breakers: postgresBreakers(db),
      progress: postgresProgress(db),
      parts: postgresParts(db),
    },
    tasks: postgresTasks(db),
    humanTasks: postgresHumanTasks(db),
    triggers: postgresTriggers(db),
  }
}
