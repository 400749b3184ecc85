import type { DefinitionFilter, DefinitionSummary } from './definition-store.ts'
import type { InstanceView } from './instance-reader.ts'
import type { NodeState, WantedState } from './membership-store.ts'
import type { ScheduleRow, ScheduleRun } from './schedule-store.ts'

/** Where a page begins: right behind `from` in the order of the list, or, with `back`, right before it. */
export interface Place {
  /** Absent: at the beginning. */
  readonly from?: string | undefined
  readonly back?: boolean
}

export interface Page<Row> {
  /** In the order of the list, whichever way it was read. */
  readonly rows: readonly Row[]
  /** Key of the last row that was looked at, when the search stopped before it had found enough. Absent: it did not. */
  readonly lookedTo: string | undefined
}

export interface TimeRange {
  /** Epoch milliseconds. */
  readonly from?: number | undefined
  /** The first moment that is too late. */
  readonly until?: number | undefined
}

export interface InstanceFilter {
  readonly definitionIds?: readonly string[] | undefined
  readonly version?: number | undefined
  /** As they are shown: `running` is one. */
  readonly statuses?: readonly string[] | undefined
  readonly correlationId?: string | undefined
  readonly parentId?: string | undefined
  readonly created?: TimeRange | undefined
  readonly finished?: TimeRange | undefined
  /** Members of the input that must have this text, or be this number or boolean. */
  readonly input?: readonly { readonly path: readonly string[]; readonly value: string }[] | undefined
}

export interface ScheduleFilter {
  readonly definitionId?: string | undefined
  readonly paused?: boolean | undefined
}

export type ListedSchedule = Pick<
  ScheduleRow,
  'tenant' | 'id' | 'document' | 'revision' | 'definitionId' | 'owner' | 'paused' | 'dueAt' | 'lastFiredAt'
>

/** A process of the cluster, as the others see it. */
export interface NodeView {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly startedAt: number
  readonly beatAt: number
  /** Since its last heartbeat, by the store's clock. */
  readonly silentMs: number
  /** The others are burying it. */
  readonly doomed: boolean
  /** Instances that it has in hand; counted up to 10,000. */
  readonly holds: number
  readonly roles: readonly string[]
  /** As it says itself. */
  readonly state: NodeState
  /** What operators want of it. */
  readonly wanted: WantedState
  /** Instances that it can work on at once. */
  readonly capacity: number
  /** Instances that it had in hand at its last heartbeat. */
  readonly held: number
  /** Its clock less the store's, as it measured it last. */
  readonly skewMs: number | undefined
}

/** What waits for a worker. Counts stop at 10,000. */
export interface QueueView {
  readonly name: string
  /** Could go on, and nobody has it in hand. */
  readonly due: number
  readonly oldestDueAt: number | undefined
  /** Has something to do later. */
  readonly later: number
  readonly nextDueAt: number | undefined
}

/** An instance that a node has in hand. */
export interface HeldView {
  readonly instanceId: string
  readonly definitionId: string
  readonly nodeId: string
  readonly nodeName: string | undefined
  /** Rises with every claim: the fence of the instance. */
  readonly claimNo: number
  readonly doomed: boolean
  readonly silentMs: number | undefined
}

/** What lists are made of, page by page and in both directions. Every read looks at a bounded number of rows. Never part of a decision. */
export interface BrowseStore {
  /** Newest first; keys are ids. */
  instances(tenant: string, filter: InstanceFilter, place: Place, limit: number): Promise<Page<InstanceView>>
  /** By id. */
  definitions(tenant: string, filter: DefinitionFilter, place: Place, limit: number): Promise<Page<DefinitionSummary>>
  /** By id. */
  schedules(tenant: string, filter: ScheduleFilter, place: Place, limit: number): Promise<Page<ListedSchedule>>
  /** Latest decision first; keys are ids. */
  runs(tenant: string, scheduleId: string, place: Place, limit: number): Promise<Page<ScheduleRun>>
  /** By name, at most 1,000. */
  nodes(): Promise<readonly NodeView[]>
  /** By name, at most 100. */
  queues(): Promise<readonly QueueView[]>
  /** By id of the instance. */
  held(tenant: string, place: Place, limit: number): Promise<Page<HeldView>>
  /** `undefined`: nobody has it in hand. */
  holder(tenant: string, instanceId: string): Promise<HeldView | undefined>
}
