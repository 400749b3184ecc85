import type { AgendaStore } from './agenda-store.ts'
import type { CommitStore } from './commit-store.ts'
import type { DefinitionStore } from './definition-store.ts'
import type { InstanceReader } from './instance-reader.ts'
import type { MembershipStore } from './membership-store.ts'
import type { StimulusStore } from './stimulus-store.ts'
import type { TransactionStore } from './transaction-store.ts'

/** Everything the engine keeps. A provider implements all of it over one database. */
export interface EngineStore {
  readonly membership: MembershipStore
  readonly commits: CommitStore
  readonly agenda: AgendaStore
  readonly stimuli: StimulusStore
  readonly definitions: DefinitionStore
  readonly instances: InstanceReader
  readonly transactions: TransactionStore
}
