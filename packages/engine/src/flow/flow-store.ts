import type { StartItem } from '../store/commit-store.ts'
import type { UserTransaction } from '../store/transaction-store.ts'

/** The policy of a definition as the store has it. */
export interface FlowPolicyRow {
  readonly tenant: string
  readonly definitionId: string
  /** Rises when the policy in force changes. */
  readonly revision: number
  /** Parsed JSON: by the published document, or the code. */
  readonly declared: unknown
  /** Parsed JSON: set at run time; `undefined`: nothing was. */
  readonly chosen: unknown
  /** Parsed JSON: the one in force; `undefined`: none is. */
  readonly policy: unknown
  readonly updatedAt: number
}

/** A policy with what it holds back. Counts stop at 10,000. */
export interface FlowLoad extends FlowPolicyRow {
  /** Starts that wait for their turn. */
  readonly waiting: number
  /** Instances that were let in and have not ended. */
  readonly alive: number
  /** Starts that a debounce or a batch still gathers inputs for. */
  readonly gathering: number
}

export type SetPolicyVerdict =
  | { readonly kind: 'set'; readonly revision: number }
  | { readonly kind: 'changed'; readonly revision: number }
  | { readonly kind: 'not-found' }

/** A start with its keys, computed under the policy of `revision`. A key is empty where the policy has none. */
export interface ControlledStart {
  readonly item: StartItem
  readonly revision: number
  readonly keys: {
    readonly singleton: string
    readonly concurrency: string
    readonly rate: string
    readonly throttle: string
    /** `undefined`: nothing is gathered. */
    readonly gather: string | undefined
  }
  readonly priority: number
  /** The instance is there already, made by somebody who could not compute keys: what would be refused is cancelled. */
  readonly arrived?: boolean
}

export type FlowVerdict =
  /** It may run. `here`: this node has its claim. */
  | {
      readonly kind: 'started'
      readonly version: number
      readonly here: boolean
      readonly at: number
      /** Others got something to do by it. */
      readonly woken: boolean
    }
  /** It is durable and waits for its turn. */
  | {
      readonly kind: 'queued'
      readonly version: number
      /** Instances that were told to make room for it. */
      readonly replaced: readonly string[]
      readonly woken: boolean
    }
  /** Its input is durable and will be, or be part of, the input of this instance. */
  | { readonly kind: 'gathered'; readonly instanceId: string; readonly woken: boolean }
  | { readonly kind: 'attached'; readonly instanceId: string }
  | { readonly kind: 'duplicate'; readonly instanceId: string }
  | { readonly kind: 'busy'; readonly instanceId: string }
  | { readonly kind: 'throttled'; readonly retryInMs: number }
  /** The keys belong to another revision: compute them anew. */
  | { readonly kind: 'changed' }
  /** There is no policy any more: start it as any other. */
  | { readonly kind: 'plain' }
  | { readonly kind: 'unknown-definition' }

/** An instance that waits at the door for its keys. */
export interface Arrival {
  readonly tenant: string
  readonly instanceId: string
  readonly definitionId: string
  readonly queue: string
  /** Parsed JSON of its first fact. */
  readonly data: unknown
}

export interface PumpAnswer {
  /** Instances that got something to do. */
  readonly admitted: number
  /** Until something comes due by time. Absent: nothing will. */
  readonly nextInMs: number | undefined
  /** There is more, or somebody else is at it: look again at once. */
  readonly more: boolean
  /** Definitions in which somebody waits: an end there may be somebody's turn. */
  readonly waiting: readonly { readonly tenant: string; readonly definitionId: string }[]
  readonly arrived: readonly Arrival[]
}

/** Why a start waits. */
export interface FlowStanding {
  readonly state: 'waiting' | 'gathering'
  /** The limit that was met last. */
  readonly blocked: 'singleton' | 'concurrency' | 'rate' | undefined
  readonly key: string
  /** Starts that go first under the same keys; at most 10,000 are counted. */
  readonly ahead: number
  readonly priority: number
  readonly since: number
  /** When it moves by itself, where that can be told. */
  readonly movesAt: number | undefined
  /** Gathered inputs. */
  readonly size: number
  /** Parsed JSON. */
  readonly policy: unknown
}

/** Starts that are held back by the policy of their definition. All decisions about one definition are made one after another. */
export interface FlowStore {
  /** `undefined`: back to what is declared. `expected`: refused when the policy in force has another revision. */
  set(tenant: string, definitionId: string, policy: string | undefined, expected?: number): Promise<SetPolicyVerdict>
  /** What the code of a version says. Code that is older than what was heard before is ignored. */
  declare(tenant: string, definitionId: string, version: number, policy: string | undefined): Promise<void>
  get(tenant: string, definitionId: string): Promise<FlowLoad | undefined>
  list(tenant: string, after: string | undefined, limit: number): Promise<readonly FlowPolicyRow[]>
  /** In one transaction under the fence of the node row. Sending a start again, with its id, answers what became of it. */
  start(nodeId: string, starts: readonly ControlledStart[]): Promise<readonly FlowVerdict[]>
  /** The same inside a transaction of the caller's; other starts of the definition wait for its end. */
  startWithin(tx: UserTransaction, nodeId: string, start: ControlledStart): Promise<FlowVerdict>
  /** Lets in what may go now, of all definitions; a bounded piece of work. */
  pump(nodeId: string): Promise<PumpAnswer>
  /** `undefined`: it does not wait for a turn. */
  standing(tenant: string, instanceId: string): Promise<FlowStanding | undefined>
}
