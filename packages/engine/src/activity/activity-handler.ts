import type { Json, JsonObject, Logger } from '@lockstep/base'
import type { Wait } from '../journal/fact.ts'
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

/** What came of an activity. */
export type ActivityResult =
  | {
      readonly kind: 'completed'
      readonly outcome: string
      readonly output?: Json
      readonly assign?: JsonObject
      readonly result?: JsonObject
      readonly publish?: { readonly name: string; readonly correlationId: string | undefined; readonly payload: Json }
    }
  | { readonly kind: 'waiting'; readonly wait: Wait }

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

export type RunnableActivity = InlineActivity | EffectActivity
