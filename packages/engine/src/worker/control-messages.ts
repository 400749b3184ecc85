/**
 * What operators ask of an instance. Each is a message in its inbox, so that the owner applies it between two commits like any other stimulus.
 * Some can be done while the instance runs. Others change what its code is, or where it stands: those are done by whoever claims it next,
 * before anything of it runs; until then its owner starts nothing new, waits for what runs, and gives the claim back.
 */
import { isJsonObject, type Json } from '@lockstep/base'
import type { EndStatus, StepKey } from '../journal/fact.ts'
import type { InboxMessage, LoadedInstance } from '../store/agenda-store.ts'

/** What keeps an instance from going on, by its journal: somebody paused it, it was put aside, or it has ended. */
export type Stands = 'paused' | 'quarantined' | EndStatus

/** What an execution does by itself. */
export type ExecutionOrder =
  | { readonly kind: 'pause'; readonly reason?: string }
  | { readonly kind: 'continue' }
  | RetryOrder
  | { readonly kind: 'assign'; readonly variables: Readonly<Record<string, Json>> }
  | ResolveOrder
  | ReopenOrder

export interface RetryOrder {
  readonly kind: 'retry'
  /** From this step on, though it may have completed. Absent: from what failed. */
  readonly step?: StepKey
  readonly variables?: Readonly<Record<string, Json>>
  /** Whoever opened the instance has looked for the step. */
  readonly isPrepared?: true
  /** Graphs: where the step began. */
  readonly rewind?: { readonly toSeq: number; readonly state: Json }
}

/** What became of a step that nobody knows the outcome of. */
export interface ResolveOrder {
  readonly kind: 'resolve'
  readonly step: StepKey
  readonly outcome: 'completed' | 'failed' | 'retry'
  readonly output?: Json
  readonly message?: string
}

/** The doctor missed something that stands outside for what it waits for: whatever its journal says and nobody finds is put back. */
export interface ReopenOrder {
  readonly kind: 'reopen'
  /** Steps for which a bookmark or a message is there. Whoever opened the instance has looked for them. */
  readonly present?: readonly StepKey[]
  /** Ids that bookmarks had, by step: what was handed out for them stays good. */
  readonly known?: readonly (readonly [step: StepKey, id: string])[]
}

export interface MigrateOrder {
  readonly kind: 'migrate'
  readonly to: number
  /** Functions: where nodes take it from that have the new version. */
  readonly queue?: string
  readonly mapping?: Readonly<Record<string, string>>
}

export interface TerminateOrder {
  readonly kind: 'terminate'
  readonly reason?: string
  /** Its children too, and theirs. */
  readonly children?: boolean
}

export type Order = ExecutionOrder | MigrateOrder | TerminateOrder

const KINDS: ReadonlySet<string> = new Set<Order['kind']>([
  'pause',
  'continue',
  'retry',
  'assign',
  'resolve',
  'reopen',
  'migrate',
  'terminate',
])

/** `undefined`: it is not from an operator. */
export function orderOf({ kind, step, payload }: InboxMessage): Order | undefined {
  if (!KINDS.has(kind)) return undefined
  return { ...(isJsonObject(payload) ? payload : {}), ...(step === undefined ? {} : { step }), kind } as Order
}

/** Whether it must be done before anything of the instance runs, by whoever opens it. */
export function isForNextOwner(order: Order): boolean {
  if (order.kind === 'retry') return order.step !== undefined && order.isPrepared !== true
  return order.kind === 'migrate' || (order.kind === 'reopen' && order.present === undefined)
}

/** Whether its journal says that it was put aside; a second word of it would say nothing new. */
export function isPutAside({ facts, status }: LoadedInstance): boolean {
  for (const { kind } of [...facts].reverse()) {
    if (kind === 'quarantined') return true
    if (kind === 'retried' || kind === 'rewound' || kind === 'forked') return false
  }
  return status === 'quarantined'
}
