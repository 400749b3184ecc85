import type { Json, JsonObject, Logger } from '@lockstep/base'
import type { Wait } from '../journal/fact.ts'
import type { Progress } from '../step/progress-reports.ts'
import type { UserTransaction } from '../store/transaction-store.ts'
import type { ActivityType } from './activity-type.ts'

/** What a handler may use besides its inputs. */
export interface ActivityContext {
  readonly tenant: string
  readonly instanceId: string
  readonly definitionId: string
  readonly correlationId: string | undefined
  readonly step: string
  /** From 1. */
  readonly attempt: number
  /** The same on every attempt and replay of this step: hand it to whatever the step changes. */
  readonly idempotencyKey: string
  /** Aborts on cancel from any node, on time-out, and when the node is fenced. */
  readonly signal: AbortSignal
  readonly logger: Logger
  /** Of the lock of policy `lock`: hand it to whatever the lock protects. Absent without one. */
  readonly fence: bigint | undefined
  /**
   * The value of a secret of the instance's tenant, read now. It is taken out of whatever this instance writes down from here on; fails with
   * `SECRET_UNUSABLE` where there is none, and where it may be sent to some hosts alone and `to`, the URL that you send it to, is not at one of them.
   */
  secret(name: string, to?: string | URL): Promise<string>
  /** Whether a text holds a secret that was read for this instance: it must not go where the author did not send it. */
  holdsSecret(text: string): boolean
  /** A text with none of the secrets that this instance has read: what is cut short has to be without them before. */
  withoutSecrets(text: string): string
  /** With policy `heartbeatTimeout`: what the last heartbeat of an earlier attempt carried. */
  readonly lastHeartbeat: Json | undefined
  /** Says how far it is: a fraction from 0 to 1, or a count. As often as you like: only the newest is kept, a few times a second. */
  progress(progress: Progress): void
  /** Says that it lives. `details` are for the next attempt, should this one fail. */
  heartbeat(details?: unknown): void
  /**
   * Hands out a part of the result before the end: every reader on every node gets it once, in order. Settles when it is durable. The first
   * part of a step has the number 1, on each attempt: what an earlier one handed out under a number stays. One that goes on where an
   * earlier attempt was says `number`. Within a transaction there are no parts.
   */
  emit(part: unknown, number?: number): Promise<void>
  /** How many parts of this step earlier attempts have handed out. */
  emitted(): Promise<number>
}

/** What a transactional handler may use besides. */
export interface TransactionContext extends ActivityContext {
  /** Its statements commit together with the end of the step, or not at all. It is over when the handler is. */
  readonly tx: UserTransaction
}

export interface CompletedResult {
  readonly kind: 'completed'
  readonly outcome: string
  readonly output?: Json
  readonly assign?: JsonObject
  readonly result?: JsonObject
  readonly publish?: { readonly name: string; readonly correlationId: string | undefined; readonly payload: Json }
}

/** What only the engine's own activities can do besides. */
export interface InlineResult extends CompletedResult {
  /** Every way it leaves by, where there are several; `outcome` is the first of them. */
  readonly outcomes?: readonly string[]
  /** The correlation id of the instance from here on. */
  readonly correlationId?: string
  /** Its output is the answer to the request that started the instance. */
  readonly answers?: true
}

/** What came of an activity. */
export type ActivityResult = CompletedResult | { readonly kind: 'waiting'; readonly wait: Wait }

/** Runs within the step's own turn: no I/O, no waiting, the same answer each time. Its fact needs no commit of its own. */
export interface InlineActivity extends ActivityType {
  readonly runs: 'inline'
  run(inputs: JsonObject, context: ActivityContext): ActivityResult | InlineResult
}

/** Does something outside: starts only when all before it is durable, and is durable before anything after it. */
export interface EffectActivity extends ActivityType {
  readonly runs: 'effect'
  run(inputs: JsonObject, context: ActivityContext): Promise<ActivityResult> | ActivityResult
}

/**
 * Changes the engine's own database, exactly once: its statements and the end of the step are one commit. It may run again before
 * that, when it failed, when the database asks for it or after a crash; then nothing of the earlier run is there. While it runs
 * the other branches of its instance stand still: keep it short, and do nothing outside of the database.
 */
export interface TransactionalActivity extends ActivityType {
  readonly runs: 'transaction'
  run(inputs: JsonObject, context: TransactionContext): Promise<CompletedResult> | CompletedResult
  /** The code for inputs that lead out of this database: it runs as an effect, without a transaction. */
  elsewhere?(inputs: JsonObject): EffectActivity | undefined
}

/** What an application may add. */
export type CustomActivity = EffectActivity | TransactionalActivity

export type RunnableActivity = InlineActivity | CustomActivity
