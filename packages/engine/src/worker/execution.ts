import type { Json, LazyAbort } from '@lockstep/base'
import type { EndStatus, Fact, Failure, StepKey } from '../journal/fact.ts'
import type { InboxMessage, RecordedFact } from '../store/agenda-store.ts'
import type { NewBookmark, NewEvent, NewIncident } from '../store/commit-store.ts'
import type { UserTransaction } from '../store/transaction-store.ts'
import type { StepAbout } from '../trace/burst-trace.ts'
import type { ExecutionOrder, Stands } from './control-messages.ts'

/** Which run this is. */
export interface InstanceIdentity {
  readonly tenant: string
  readonly instanceId: string
  readonly definitionId: string
  readonly version: number
  readonly correlationId: string | undefined
  readonly parentId: string | undefined
  readonly parentStep: string | undefined
}

/** What an execution wants written with its next commit. */
export interface Change {
  readonly facts?: readonly Fact[]
  readonly opens?: readonly NewBookmark[]
  /** Steps whose bookmarks are no longer waited at. */
  readonly closes?: readonly StepKey[]
  readonly publishes?: readonly NewEvent[]
  readonly incidents?: readonly NewIncident[]
  /** The instance is found by this correlation id from here on. */
  readonly correlationId?: string
}

/**
 * A decision that holds only if no stimulus came first: a time-out closes the bookmark that a resume may be consuming.
 * Nothing of it is applied before the store has agreed.
 */
export interface Tentative {
  readonly facts: readonly Fact[]
  readonly closes: readonly StepKey[]
  /** The store agreed; `at` is the moment of the commit. */
  apply(at: number): void
  /** A stimulus was first. It will be delivered next. */
  discard(): void
}

/** What a transaction of the user's writes into the journal with its own rows. */
export type TransactedChange = Pick<Change, 'publishes'> & { readonly facts: readonly Fact[] }

export interface TransactedWork<T> {
  /**
   * Where it is present the transaction waits for a moment at which nothing of the instance is unwritten, and this is told of it:
   * from here to `applied` or `failed` nothing may be recorded, for the facts of the transaction come next in the journal.
   */
  begin?(): void
  /** May be called again when the database asks for it; what it did before is undone by then. */
  run(tx: UserTransaction): Promise<{ readonly result: T; readonly change: TransactedChange }>
  /** It was committed at `at`. Told before anything else can be written. */
  applied(change: TransactedChange, at: number): void
  /** It was rolled back. Told before anything else can be written. */
  failed?(error: unknown): void
}

export interface ChildStart {
  readonly instanceId: string
  readonly definitionId: string
  readonly version: number | undefined
  readonly input: Json
  readonly correlationId: string | undefined
  readonly step: StepKey
  /** Whether the parent is told of its end. */
  readonly awaited: boolean
  /** How many workflows stand above it. */
  readonly depth: number
}

/** What an execution may ask of the node that runs it. */
export interface ExecutionHost {
  readonly identity: InstanceIdentity
  /** Aborts when the instance is lost to this node, cancelled, or the node stops. */
  readonly abort: LazyAbort
  /** Adds to the next commit. What was recorded is true for this execution from here on, and durable after `durable()`. */
  record(change: Change): void
  propose(tentative: Tentative): void
  /**
   * Settles when all that was recorded so far is durable. Never settles when the instance is lost: nothing must follow. While the node drains
   * it settles when that was called off.
   */
  durable(): Promise<void>
  /** The node drains: no effect begins. Whoever announces one must not do so before the drain was called off. */
  readonly isDraining: boolean
  /** Runs an effect: a draining node waits for it, and for what it records before this settles. `about` is for traces. */
  effect<T>(run: () => Promise<T>, about?: StepAbout): Promise<T>
  /**
   * Runs SQL that commits together with what it answers; nothing else of this instance is written meanwhile. Never settles when the
   * instance is lost: then nothing was committed.
   */
  transact<T>(work: TransactedWork<T>): Promise<T>
  /** Nothing new may start: it is paused, or about to be given back. What runs may finish and be recorded. */
  readonly isStill: boolean
  /** Only a new execution can go on with what was recorded: this one is given back once that is written. */
  readAnew(): void
  /** Its last owner died with it, and it has not come past that point yet: what only waits should be given back. */
  readonly isSuspect?: boolean
  /** Starts another instance; repeating it is harmless. Rejects when its definition is unknown. */
  startChild(child: ChildStart): Promise<void>
  /** What the parent of an instance would be told; `undefined`: it has not ended. */
  endOf(instanceId: string): Promise<Json | undefined>
  /** The store's clock, as well as this node knows it; never ahead of it. */
  storeNow(): number
  newId(): string
  /** Something changed that `posture` tells: look again. */
  changed(): void
}

export type Posture =
  /** Code runs or is about to. Beside it something falls due at `dueAt` (store's clock). */
  | { readonly kind: 'active'; readonly dueAt?: number; readonly status?: string }
  /** Nothing moves before `dueAt` (store's clock) or a stimulus. `dueInMs` counts from the commit under way. */
  | {
      readonly kind: 'waiting'
      readonly dueAt: number | undefined
      readonly dueInMs: number | undefined
      /** What readers see of it; `suspended` by default. */
      readonly status?: string
    }
  | { readonly kind: 'ended'; readonly status: EndStatus; readonly output: Json; readonly error: Failure | undefined }

export type Ended = Posture & { readonly kind: 'ended' }

const ACTIVE: Posture = { kind: 'active' }

/** Active, beside waits of which the first is due then. */
export function activeBeside(dueAt: number | undefined, status?: string): Posture {
  if (dueAt === undefined && status === undefined) return ACTIVE
  return { kind: 'active', ...(dueAt !== undefined && { dueAt }), ...(status !== undefined && { status }) }
}

/** How an instance is to be stopped. */
export interface Cancellation {
  readonly reason: string | undefined
  /** Whether what it did is undone. */
  readonly compensate: boolean
}

/** One instance in memory: a graph or a function. */
export interface Execution {
  /**
   * Goes on from what the journal says. Called once, before `advance`. `hadOwner`: somebody had it before, and may have begun what the journal
   * does not tell of yet.
   */
  replay(
    snapshot: { readonly state: unknown; readonly at: number } | undefined,
    facts: readonly RecordedFact[],
    hadOwner?: boolean,
  ): void
  /** What the journal says keeps it from going on: then it is not advanced. */
  readonly stands: Stands | undefined
  /** It keeps its claim although nothing of it runs, for it holds a lock: messages do not reach it by themselves. */
  readonly holdsOn: boolean
  /** Starts whatever can be started. */
  advance(): void
  /** Does what an operator asks for, or records why it cannot. */
  operate(order: ExecutionOrder): void
  deliver(message: InboxMessage): void
  /** Stops it: what it did is undone where it can be and is wanted, then it ends as cancelled. Not twice, and not while it is undone already. */
  cancel(cancellation: Cancellation): void
  /** Fires what is due at `now` (store's clock). Answers when each wait that it found was due. */
  fire(now: number): readonly number[]
  /** A commit was acknowledged: waits of facts up to `upToSeq` now have their due time. */
  stamp(at: number, upToSeq: number): void
  posture(): Posture
  /** State as JSON text, when it is cheaper to read than the facts since the last snapshot. */
  snapshot(): string | undefined
  /** Of a graph, as they stand. */
  readonly variables?: Readonly<Record<string, Json>>
  /** What held a step back may have changed: its turn has come, or a breaker was closed. */
  reconsider(): void
  /** Goes on under another host: the instance was released and claimed again by this node, untouched in between. */
  attach(host: ExecutionHost): void
  /** Ends it in memory; nothing may be recorded any more. */
  dispose(reason: unknown): void
}
