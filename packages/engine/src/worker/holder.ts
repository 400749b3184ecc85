import type { Json } from '@lockstep/base'
import type { InstanceState } from '../cache/instance-states.ts'
import type { StepKey } from '../journal/fact.ts'
import type { EngineMetrics } from '../metrics/engine-metrics.ts'
import type { CheckpointItem, CheckpointVerdict } from '../store/commit-store.ts'
import type { UserTransaction } from '../store/transaction-store.ts'
import type { ChildStart, Ended, InstanceIdentity } from './execution.ts'

/** What a held instance asks of the worker that holds it. */
export interface Holder<Held> {
  /** Timers due within this time are waited for with the claim in hand. */
  readonly holdMs: number
  readonly metrics: EngineMetrics | undefined
  /** For durations. */
  monotonic(): number
  storeNow(): number
  newId(): string
  mark(held: Held): void
  transact<M>(
    work: (tx: UserTransaction) => Promise<M>,
    item: (made: M) => CheckpointItem,
  ): Promise<M & { readonly verdict: CheckpointVerdict; readonly at: number }>
  startChild(parent: InstanceIdentity, child: ChildStart): Promise<void>
  /** What the parent of an instance would be told; `undefined`: it has not ended. */
  endOf(tenant: string, instanceId: string): Promise<Json | undefined>
  /** Asks all children that have not ended to terminate, and theirs. Repeating it is harmless. */
  terminateChildren(parent: InstanceIdentity, reason: string | undefined): Promise<void>
  /** Code of the user begins to run. */
  beganToRun(): void
  /** Runs after what is about to happen now. */
  soon(run: () => void): void
  /** Gives the claim back, for whoever takes the instance next, in another queue where one is named. */
  handOver(held: Held, queue: string | undefined): void
  /** A stimulus was missed: read the inbox and call `hear`. */
  stimulated(held: Held): void
  /** Nothing of it runs: it waits with the claim in hand until `dueAt` (store's clock). */
  waits(held: Held, dueAt: number): void
  /** It runs, and is to be told when it is `dueAt`. */
  fallsDue(held: Held, dueAt: number): void
  /** A timer of it has fired. */
  fired(held: Held, lateMs: number): void
  /** Others may find it changed: bookmarks were opened, or it is out of hand. */
  moved(held: Held): void
  published(tenant: string, eventIds: readonly string[]): void
  suspended(held: Held): void
  /** `last`: how readers see it now, where that is known without asking. */
  ended(held: Held, end: Ended, last: () => InstanceState | undefined): void
  lost(held: Held): void
}

/** What is known of an instance when its claim comes into hand. */
export interface HeldStart {
  readonly identity: InstanceIdentity
  readonly claimNo: number
  readonly stim: number
  readonly crashes: number
  /** Number of the last committed fact. */
  readonly seq: number
  readonly bookmarks: Iterable<readonly [id: string, step: StepKey]>
}
