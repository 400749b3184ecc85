import type { Json } from '@lockstep/base'
import type { FlowPolicy } from '../flow/flow-policy.ts'
import type { BreakerDocument, LimitDocument } from '../graph/document.ts'
import type { Progress } from '../step/progress-reports.ts'

/** What the code of a step is given. */
export interface StepScope {
  /** From 1. */
  readonly attempt: number
  /** The same on every attempt and replay: hand it to whatever the step changes. */
  readonly idempotencyKey: string
  /** Aborts on cancel from any node, on time-out, and when the node is fenced. */
  readonly signal: AbortSignal
  /** Of the lock of option `lock`: hand it to whatever the lock protects. Absent without one. */
  readonly fence: bigint | undefined
  /**
   * The value of a secret of the instance's tenant, read now. It is taken out of whatever this instance writes down from here on; fails with
   * `SECRET_UNUSABLE` where there is none.
   */
  secret(name: string, to?: string | URL): Promise<string>
  /** With option `heartbeatTimeout`: what the last heartbeat of an earlier attempt carried. */
  readonly lastHeartbeat: Json | undefined
  /** Says how far it is: a fraction from 0 to 1, or a count. As often as you like: only the newest is kept, a few times a second. */
  progress(progress: Progress): void
  /** Says that it lives. `details` are for the next attempt, should this one fail. */
  heartbeat(details?: unknown): void
  /**
   * Hands out a part of the result before the end: every reader on every node gets it once, in order. Settles when it is durable. The first
   * part of a step has the number 1, on each attempt: what an earlier one handed out under a number stays. One that goes on where an
   * earlier attempt was says `number`.
   */
  emit(part: unknown, number?: number): Promise<void>
  /** How many parts of this step earlier attempts have handed out. */
  emitted(): Promise<number>
}

export interface StepRetry {
  /** In all, the first one included. @default 1 */
  readonly attempts: number
  /** @default '1s' */
  readonly initial?: string | number
  /** @default 2 */
  readonly factor?: number
  /** @default '5m' */
  readonly max?: string | number
  /** Codes of failures that another attempt cannot mend. */
  readonly nonRetryable?: readonly string[]
}

/** Undoes a step that gave `result`. It may run more than once, with the same idempotency key. */
export type Compensate<T> = (result: T, step: StepScope) => unknown

export interface CompensateOption<T> {
  /** What undoes it, when the workflow fails for good or is cancelled, or `ctx.compensate` asks for it. Tried as often as the step itself unless told otherwise. */
  readonly compensate?:
    | Compensate<T>
    | { readonly run: Compensate<T>; readonly retry?: StepRetry; readonly timeout?: string | number }
}

export interface StepOptions<T = unknown> extends CompensateOption<T> {
  readonly retry?: StepRetry
  readonly timeout?: string | number
  /** `atMostOnce`: a step whose outcome is unknown after a crash becomes an incident instead of running again. @default 'atLeastOnce' */
  readonly effect?: 'atLeastOnce' | 'atMostOnce'
  /** A lock of the whole cluster that is held while an attempt runs. */
  readonly lock?: string | (LockOptions & { readonly name: string })
  /** How many attempts with this key may run at once, or begin in a period, over all nodes and workflows. */
  readonly limit?: Omit<LimitDocument, 'key'> & { readonly key: string }
  /** Stops trying what fails, for a while. */
  readonly breaker?: Omit<BreakerDocument, 'key'> & { readonly key?: string }
  /** An attempt that gives no heartbeat for so long is aborted and has failed. */
  readonly heartbeatTimeout?: string | number
}

/** The database, inside a transaction that also records the step. */
export interface WorkflowTransaction {
  query<Row = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<Row[]>
}

export interface LockOptions {
  /** How long to wait for the lock before the call fails with LOCK_TIMEOUT. @default 600_000 */
  readonly waitMs?: number
  /** How long the lock lives without renewal: as long as others wait when this node dies. @default of the lock store's options */
  readonly ttlMs?: number
}

/** A lock that is held while the section given to `ctx.lock` runs. */
export interface WorkflowLock {
  /** Rises with every grant. Hand it to whatever the lock protects, so that it refuses those who lost it. */
  readonly fence: bigint
  /** Aborts when the lock cannot be trusted any more, or the instance leaves this node. */
  readonly signal: AbortSignal
}

export interface WaitOptions {
  /** Only events with this correlation id match. @default the instance's own */
  readonly correlationId?: string
}

export interface ChildOptions {
  readonly correlationId?: string
}

/** What a function workflow lives in. Everything here is recorded, and answered from the record when the function runs again. */
export interface WorkflowContext {
  readonly instanceId: string
  readonly correlationId: string | undefined
  readonly signal: AbortSignal
  /** Runs `code` once and records what it returned. */
  step<T>(name: string, code: (step: StepScope) => T | Promise<T>, options?: StepOptions<T>): Promise<T>
  /** Runs SQL that commits together with the record of the step, or not at all. */
  transaction<T>(name: string, code: (tx: WorkflowTransaction) => Promise<T>, options?: CompensateOption<T>): Promise<T>
  /** Undoes the steps that completed so far and have a compensation, newest first; only those of these names where some are given. */
  compensate(...names: readonly string[]): Promise<void>
  /**
   * Runs `section` while nobody else in the cluster holds the lock. After a crash the lock is taken again before the section goes on.
   * Fails with LEASE_LOST when the lock was lost before the section had ended, with LOCK_TIMEOUT when it did not become free.
   */
  lock<T>(name: string, section: (lock: WorkflowLock) => Promise<T>, options?: LockOptions): Promise<T>
  sleep(duration: string | number): Promise<void>
  sleepUntil(moment: Date | number): Promise<void>
  /** Waits for an event or a resume of this name. */
  waitFor<T = unknown>(event: string, options?: WaitOptions): Promise<T>
  /** As above; `undefined` when nothing came in time. */
  waitFor<T = unknown>(
    event: string,
    options: WaitOptions & { readonly timeout: string | number },
  ): Promise<T | undefined>
  /** Runs another workflow and waits for its result. Throws what it failed with. */
  run<Input, Output>(
    child: FunctionWorkflow<Input, Output>,
    input: Input,
    options?: ChildOptions & CompensateOption<Output>,
  ): Promise<Output>
  run(definitionId: string, input: unknown, options?: ChildOptions & CompensateOption<unknown>): Promise<unknown>
  /** All of them side by side, as `Promise.all`. */
  all<T extends readonly unknown[] | []>(work: T): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }>
  /**
   * The value of a secret, read anew whenever the function runs again: it is in no journal, and is taken out of whatever this instance
   * writes down. Hand names to other workflows, not values. Fails with `SECRET_UNUSABLE` where there is none.
   */
  secret(name: string, to?: string | URL): Promise<string>
  publish(event: string, payload?: unknown, options?: { readonly correlationId?: string }): Promise<void>
  /** Milliseconds since 1970; the same on every replay. */
  now(): number
  /** At least 0, below 1; the same on every replay. */
  random(): number
}

/** A workflow written as an async function. Its type carries what goes in and what comes out. */
export interface FunctionWorkflow<Input, Output> {
  readonly kind: 'function'
  readonly id: string
  readonly version: number
  readonly flow?: FlowPolicy<Input> | undefined
  readonly tags?: readonly string[] | undefined
  readonly run: (context: WorkflowContext, input: Input) => Promise<Output>
}

/** Any function workflow, where only its shape matters. */
export type AnyWorkflow = FunctionWorkflow<never, unknown>
