import type { Json, JsonObject } from '@lockstep/base'
import type { FlowPolicy } from '../flow/flow-policy.ts'

/** A literal, or `{ "$expr": "…" }`; objects and arrays may hold such objects at any depth. */
export type Value = Json

/** `500ms`, `30s`, `5m`, `2h`, `7d`, ISO 8601, or a number of milliseconds. */
export type DurationText = string | number

export type VariableType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'any'

export interface VariableDocument {
  /** @default 'any' */
  readonly type?: VariableType
  /** @default null */
  readonly default?: Json
  readonly description?: string
}

export interface RetryDocument {
  /** In all, the first one included. */
  readonly attempts: number
  readonly backoff?: {
    /** @default '1s' */
    readonly initial?: DurationText
    /** @default 2 */
    readonly factor?: number
    /** @default '5m' */
    readonly max?: DurationText
  }
  /** Share of each delay that is drawn at random, 0 to 1; `true` means 0.2. @default 0.2 */
  readonly jitter?: boolean | number
  /** Codes of failures that end the step at once. */
  readonly nonRetryable?: readonly string[]
}

/** A text, or `{ "$expr": "…" }` that gives one; at most 200 characters. */
export type KeyText = string | { readonly $expr: string }

/** A lock of the whole cluster that is held while an attempt runs. */
export type LockDocument =
  | KeyText
  | {
      readonly name: KeyText
      /** From the first time it asked; then the attempt fails with LOCK_TIMEOUT. @default 600_000 */
      readonly waitMs?: number
      /** How long the lock lives without renewal. @default of the lock store */
      readonly ttlMs?: number
    }

/** Over all nodes and workflows: all steps with this key share it. At least one of `concurrency` and `rate`. */
export interface LimitDocument {
  readonly key: KeyText
  /** Attempts at once. */
  readonly concurrency?: number
  /** Attempts that may begin within any period of this length. */
  readonly rate?: { readonly limit: number; readonly per: DurationText }
}

/** Stops trying what fails, for a while. */
export interface BreakerDocument {
  /** Steps with one key share a breaker. @default the workflow and the activity */
  readonly key?: KeyText
  /** So many failed attempts within `window`, on one node, open it. */
  readonly failures: number
  readonly window: DurationText
  /** How long nobody tries. Then one attempt is let through. */
  readonly openFor: DurationText
  /** Attempts in a row that must go well before all are let through again. @default 1 */
  readonly halfOpen?: number
  /** `fail`: with BREAKER_OPEN, which `retry` counts as an attempt. @default 'wait' */
  readonly whenOpen?: 'wait' | 'fail'
}

/**
 * What a crash in the middle may mean. `atLeastOnce`: it runs again. `atMostOnce`: a person is asked. `transactional`: nothing of it
 * has happened; only for activities whose code runs inside a transaction of the store.
 */
export type Effect = 'atLeastOnce' | 'atMostOnce' | 'transactional'
export type OnError = 'fault' | 'continue' | 'outcome'
export type Join = 'all' | 'any'

export interface ActivityDocument {
  /** Unique in the whole document, nested graphs included. */
  readonly id: string
  readonly type: string
  readonly name?: string
  readonly description?: string
  readonly inputs?: JsonObject
  readonly retry?: RetryDocument
  readonly timeout?: DurationText
  readonly lock?: LockDocument
  readonly limit?: LimitDocument
  readonly breaker?: BreakerDocument
  /** An attempt that gives no heartbeat for so long is aborted and has failed. */
  readonly heartbeatTimeout?: DurationText
  /** @default 'transactional' where the activity is, else 'atLeastOnce' */
  readonly effect?: Effect
  /** `continue`: goes on through `done`. `outcome`: leaves through `failed`. @default 'fault' */
  readonly onError?: OnError
  /** What several incoming connections mean. @default 'all' */
  readonly join?: Join
  readonly body?: GraphBody
  readonly branches?: readonly GraphBody[]
  readonly catch?: GraphBody
  readonly finally?: GraphBody
  /** Undoes it after it has completed, when the workflow fails or is cancelled. */
  readonly compensate?: GraphBody
}

export interface ConnectionDocument {
  readonly from: string
  /** @default 'done' */
  readonly outcome?: string
  readonly to: string
}

export interface GraphBody {
  readonly activities: readonly ActivityDocument[]
  readonly connections?: readonly ConnectionDocument[]
}

/** What a designer saves and an author writes. `layout`, `notes` and `x-…` members are kept and ignored. */
export interface GraphDocument extends GraphBody {
  readonly $schema?: string
  /** A slug; the same for every version. */
  readonly id: string
  readonly name?: string
  readonly description?: string
  /** What it is found and filtered by. */
  readonly tags?: readonly string[]
  /** JSON schema of the input. */
  readonly input?: JsonObject | boolean
  /** JSON schema of the output. */
  readonly output?: JsonObject | boolean
  readonly variables?: Readonly<Record<string, VariableDocument>>
  /** How its starts are held back. What is set at run time goes before it. */
  readonly flow?: FlowPolicy<never>
}

/** Left by a failed step whose `onError` is `outcome`. */
export const FAILED_OUTCOME = 'failed'
export const DEFAULT_OUTCOME = 'done'
