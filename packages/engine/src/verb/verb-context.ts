import type { Programs } from '../definition/programs.ts'
import type { ControlledStarts } from '../flow/controlled-starts.ts'
import type { StartPlanner } from '../start/start-planner.ts'
import type { EngineStore } from '../store/engine-store.ts'
import type { MigrationContext } from './decide-migration.ts'

/** What verbs need of their engine. */
export interface VerbContext extends MigrationContext {
  readonly store: EngineStore
  readonly programs: Programs
  readonly planner: StartPlanner
  readonly flow: Pick<ControlledStarts, 'place' | 'arrive'>
  readonly newId: () => string
  /** The incarnation of the node that is alive now. */
  readonly nodeId: () => string
  /** Tells this node and the others that an instance has a message. */
  readonly onSent: (instanceId: string) => void
  /** There is something to claim. */
  readonly onDue: () => void
  /** One that had ended is open again: it may wait for its turn, where its workflow has a policy. */
  readonly onReopened: () => void
}

/** Who asks, and for whom. */
export interface VerbOptions {
  readonly tenant?: string
  /** The bulk operation that asks. */
  readonly operationId?: string
}
