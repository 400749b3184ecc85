import type { FlowStore } from '../flow/flow-store.ts'
import type { AgendaStore } from './agenda-store.ts'
import type { CommitStore } from './commit-store.ts'
import type { DefinitionStore } from './definition-store.ts'
import type { DefinitionUsageStore } from './definition-usage-store.ts'
import type { HumanTaskStore } from './human-task-store.ts'
import type { IncidentStore } from './incident-store.ts'
import type { InstanceReader } from './instance-reader.ts'
import type { MaintenanceStore } from './maintenance-store.ts'
import type { MembershipStore } from './membership-store.ts'
import type { OperationStore } from './operation-store.ts'
import type { ScheduleStore } from './schedule-store.ts'
import type { StepControlStore } from './step-control-store.ts'
import type { StimulusStore } from './stimulus-store.ts'
import type { TaskStore } from './task-store.ts'
import type { TransactionStore } from './transaction-store.ts'
import type { TriggerStore } from './trigger-store.ts'
import type { VerbStore } from './verb-store.ts'

/** Everything the engine keeps. A provider implements all of it over one database. */
export interface EngineStore {
  readonly membership: MembershipStore
  readonly commits: CommitStore
  readonly agenda: AgendaStore
  readonly stimuli: StimulusStore
  readonly definitions: DefinitionStore
  readonly definitionUsage: DefinitionUsageStore
  readonly instances: InstanceReader
  readonly transactions: TransactionStore
  readonly schedules: ScheduleStore
  readonly maintenance: MaintenanceStore
  readonly flow: FlowStore
  readonly verbs: VerbStore
  readonly incidents: IncidentStore
  readonly operations: OperationStore
  readonly steps: StepControlStore
  readonly tasks: TaskStore
  readonly humanTasks: HumanTaskStore
  readonly triggers: TriggerStore
}
