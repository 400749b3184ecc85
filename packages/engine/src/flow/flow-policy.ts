import type { Json } from '@lockstep/base'

/** `500ms`, `30s`, `5m`, `2h`, `7d`, ISO 8601, or a number of milliseconds. */
export type FlowSpan = string | number

/** What is computed from the input of a start: an expression over `input`, or a function where the workflow is one. */
export type FlowValue<Input, T> = { readonly $expr: string } | ((input: Input) => T)

/** Starts with the same key share a limit. Absent: all starts of the definition do. */
export type FlowKey<Input> = FlowValue<Input, string | number | boolean>

/** What a start meets when an instance with its key is alive. */
export type SingletonRule =
  /** It is refused with SINGLETON_BUSY. */
  | 'reject'
  /** It is answered with the instance that is there. */
  | 'attach'
  /** It waits for the end of those before it. */
  | 'queue'
  /** Those before it are cancelled; it begins when they have ended. */
  | 'replace'

/** How the starts of a definition are held back. Every member may be left out, and edited while instances run. */
export interface FlowPolicy<Input = unknown> {
  /** One living instance at a time. */
  readonly singleton?: {
    readonly key?: FlowKey<Input>
    /** @default 'reject' */
    readonly onBusy?: SingletonRule
  }
  /** Instances that may be alive at once; further starts wait, by priority and age. */
  readonly concurrency?: { readonly key?: FlowKey<Input>; readonly limit: number }
  /** Instances that may begin in any span of `per`; further starts wait. */
  readonly rate?: { readonly key?: FlowKey<Input>; readonly limit: number; readonly per: FlowSpan }
  /** Starts that are accepted in any span of `per`; further ones are refused with START_THROTTLED. */
  readonly throttle?: { readonly key?: FlowKey<Input>; readonly limit: number; readonly per: FlowSpan }
  /** Starts when no further start came for `wait`, or `max` after the first; the last input wins. */
  readonly debounce?: { readonly key?: FlowKey<Input>; readonly wait: FlowSpan; readonly max?: FlowSpan }
  /** Gathers inputs into one start with an array of them: `size` of them, or what came within `wait` of the first. */
  readonly batch?: { readonly key?: FlowKey<Input>; readonly size: number; readonly wait: FlowSpan }
  /** 0 to 9; the highest goes first. A start may bring its own. @default 0 */
  readonly priority?: number | FlowValue<Input, number>
  /** How long a start must wait to overtake one that is new and one step above it. @default '1m' */
  readonly ageing?: FlowSpan
}

export const LOWEST_PRIORITY = 0
export const HIGHEST_PRIORITY = 9
/** What one step of priority is worth where no policy says it. */
export const AGEING_MS = 60_000
export const LONGEST_KEY = 200

/** Stands in the store for a function of the code. */
export const DECLARED = 'declared'

/** Members that hold a key, in the order in which they are evaluated. */
export const KEYED_MEMBERS = ['singleton', 'concurrency', 'rate', 'throttle', 'debounce', 'batch'] as const
export type KeyedMember = (typeof KEYED_MEMBERS)[number]

/** The policy of a function as JSON: what is code is named, not written. */
export function toFlowJson(policy: FlowPolicy<never>): Json {
  return JSON.parse(JSON.stringify(policy, (_, value) => (typeof value === 'function' ? DECLARED : value))) as Json
}
