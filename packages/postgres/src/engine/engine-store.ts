import type { EngineStore } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import { postgresAgenda } from './agenda-store.ts'
import { postgresCommits } from './commit-store.ts'
import { postgresDefinitions } from './definition-store.ts'
import { postgresInstances } from './instance-reader.ts'
import { postgresMembership } from './membership-store.ts'
import { postgresStimuli } from './stimulus-store.ts'
import { postgresTransactions } from './transaction-store.ts'

/** The engine's store on a migrated database, on a server or embedded. */
export function postgresEngineStore(db: Db): EngineStore {
  return {
    membership: postgresMembership(db),
    commits: postgresCommits(db),
    agenda: postgresAgenda(db),
    stimuli: postgresStimuli(db),
    definitions: postgresDefinitions(db),
    instances: postgresInstances(db),
    transactions: postgresTransactions(db),
  }
}
