import type { Failure } from '../journal/fact.ts'
import type { RecordedFact } from './agenda-store.ts'

export interface WaitingFor {
  readonly bookmarkId: string
  readonly kind: string
  readonly name: string
  readonly expiresAt: number | undefined
}

export interface InstanceView {
  readonly tenant: string
  readonly id: string
  readonly definitionId: string
  readonly version: number
  readonly status: string
  readonly correlationId: string | undefined
  readonly parentId: string | undefined
  /** Parsed JSON. */
  readonly input: unknown
  readonly output: unknown
  readonly error: unknown
  readonly createdAt: number
  readonly finishedAt: number | undefined
  readonly nodeId: string | undefined
  readonly dueAt: number | undefined
  readonly waitingFor: readonly WaitingFor[]
  readonly incidents: readonly {
    readonly id: string
    readonly code: string
    readonly message: string
    readonly step: string | undefined
    readonly at: number
  }[]
  /** Number of the last fact. */
  readonly revision: number
}

export interface JournalRow extends RecordedFact {
  readonly nodeId: string
  readonly claimNo: number
  /** Place in the order of commits of the whole store; a stream resumes after any. */
  readonly position: string
}

/** What a fact says of its step, without what the step was given or gave: outputs can be large. */
export interface JournalOutline {
  readonly seq: number
  readonly kind: string
  /** Epoch milliseconds. */
  readonly at: number
  readonly step: string | undefined
  readonly outcome: string | undefined
  readonly outcomes: readonly string[] | undefined
  readonly error: Failure | undefined
  /** The node that wrote it. */
  readonly nodeId: string
  /** Of the step, where the fact tells it. */
  readonly attempt: number | undefined
  /** `waiting`: what for. */
  readonly waitKind: string | undefined
  /** `waiting`: the name of what it waits for, where that has one. */
  readonly waitName: string | undefined
  /** `waiting`: the child, where there is one. */
  readonly childId: string | undefined
  /** `waiting`: how long at most, from the commit on. */
  readonly waitMs: number | undefined
  /** `waiting`: until when, in epoch milliseconds. */
  readonly waitUntil: number | undefined
  /** `retrying`: how long it is put off. */
  readonly delayMs: number | undefined
  /** `ended`: how. */
  readonly status: string | undefined
  /** `rewound`: the last fact that still counts. */
  readonly toSeq: number | undefined
  /** `migrated`: activities that have another id since. */
  readonly mapping: Readonly<Record<string, string>> | undefined
}

/** What pages and programs read. Never part of a decision. */
export interface InstanceReader {
  get(tenant: string, instanceId: string): Promise<InstanceView | undefined>
  /**
   * The same with its stamp: a text that is another one as soon as anything of the view, or a fact of its journal, is. The view may
   * already be newer than its stamp, never older.
   */
  stamped(
    tenant: string,
    instanceId: string,
  ): Promise<{ readonly view: InstanceView; readonly stamp: string } | undefined>
  /** Stamps of those that exist, by id: one question for all. */
  stamps(tenant: string, instanceIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Status alone of those that exist, by id: the cheapest question there is, for many at once. */
  statuses(tenant: string, instanceIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  journal(tenant: string, instanceId: string, afterSeq: number, limit: number): Promise<readonly JournalRow[]>
  /** The same facts in short. */
  outline(tenant: string, instanceId: string, afterSeq: number, limit: number): Promise<readonly JournalOutline[]>
  /** Newest first. */
  list(
    tenant: string,
    filter: { readonly definitionId?: string; readonly status?: string; readonly before?: string },
    limit: number,
  ): Promise<readonly InstanceView[]>
}
