import type { Clock, Json, Logger } from '@lockstep/base'
import type { InstanceState } from '../cache/instance-states.ts'
import type { CommitPipeline } from '../commit/commit-pipeline.ts'
import type { EngineMetrics } from '../metrics/engine-metrics.ts'
import type { Claim, InboxMessage, LoadedInstance } from '../store/agenda-store.ts'
import type { EngineStore } from '../store/engine-store.ts'
import type { InstanceTraces } from '../trace/instance-traces.ts'
import type { Order } from './control-messages.ts'
import type { ChildStart, Ended, Execution, ExecutionHost, InstanceIdentity } from './execution.ts'
import type { StoreClock } from './store-clock.ts'

export interface WorkerOptions {
  readonly nodeId: string
  readonly pipeline: CommitPipeline
  readonly store: EngineStore
  readonly clock: Clock
  readonly storeClock: StoreClock
  readonly logger: Logger
  readonly newId: () => string
  readonly queues: () => readonly string[]
  /** Makes an execution for an instance of a known definition. Rejects when this node has no program for it. */
  readonly open: (identity: InstanceIdentity, host: ExecutionHost) => Promise<Execution>
  readonly startChild: (parent: InstanceIdentity, child: ChildStart) => Promise<void>
  readonly operators: Operators
  /** Bookmarks of this instance were opened, or it is not in hand any more. */
  readonly onMoved: (instanceId: string) => void
  readonly onPublished: (tenant: string, eventIds: readonly string[]) => void
  readonly onEnded: (identity: InstanceIdentity, end: Ended, last: () => InstanceState | undefined) => void
  /** How many instances the other nodes can take, as far as is known. @default nobody knows of others */
  readonly roomElsewhere?: () => number
  /** Whether this node runs instances at all. @default true */
  readonly claims?: boolean
  /** Instances whose code runs at once. */
  readonly concurrency: number
  /** Claims of this node in all; burial frees them in one go. */
  readonly mostHeld?: number
  /** How far ahead timers are claimed; must be longer than the idle poll. */
  readonly aheadMs: number
  readonly idlePollMs: number
  readonly warmLimit?: number
  /** Claims in a row without a clean commit after which an instance is quarantined instead of run. */
  readonly mostCrashes?: number
  readonly metrics?: EngineMetrics | undefined
  /** Absent: nobody traces. */
  readonly traces?: InstanceTraces | undefined
}

/** What operators ask for that one instance in hand cannot do by itself. */
export interface Operators {
  /** What the parent of an instance would be told; `undefined`: it has not ended. */
  endOf(tenant: string, instanceId: string): Promise<Json | undefined>
  /** Asks all children that have not ended to terminate, and theirs. */
  terminateChildren(parent: InstanceIdentity, reason: string | undefined): Promise<void>
  /**
   * Does what must be done before anything of the instance runs. A message: it is done by the execution, with what was found out for it.
   * `undefined`: the claim was given back.
   */
  revise(claim: Claim, loaded: LoadedInstance, message: InboxMessage, order: Order): Promise<InboxMessage | undefined>
  /** An instance was given back: some node may have something to claim. */
  onGivenBack(): void
}
