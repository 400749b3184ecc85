import type { Json, JsonObject, Logger } from '@lockstep/base'
import type { Wait } from '../journal/fact.ts'
import type { UserTransaction } from '../store/transaction-store.ts'
import type { ActivityType } from './activity-type.ts'

/** What a handler may use besides its inputs. */
export interface ActivityContext {
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

/** What came of an activity. */
export type ActivityResult = CompletedResult | { readonly kind: 'waiting'; readonly wait: Wait }

/** Runs within the step's own turn: no I/O, no waiting, the same answer each time. Its fact needs no commit of its own. */
export interface InlineActivity extends ActivityType {
  readonly runs: 'inline'
  run(inputs: JsonObject, context: ActivityContext): ActivityResult
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
}

/** What an application may add. */
export type CustomActivity = EffectActivity | TransactionalActivity

export type RunnableActivity = InlineActivity | CustomActivity
