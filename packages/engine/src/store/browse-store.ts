import type { DefinitionFilter, DefinitionSummary } from './definition-store.ts'
import type { BoundedCount } from './definition-usage-store.ts'
import type { InstanceView } from './instance-reader.ts'
import type { NodeState, WantedState } from './membership-store.ts'
import type { ScheduleRow, ScheduleRun } from './schedule-store.ts'

/** Where a page begins: right behind `from` in the order of the list, or, with `back`, right before it. */
export interface Place {
  /** Absent: at the beginning. */
  readonly from?: string | undefined
  readonly back?: boolean
}

export interface InstancePlace extends Place {
  /** The list begins with the oldest. */
  readonly oldestFirst?: boolean
}

export type DefinitionOrder = 'id' | 'name' | 'updatedAt'

export interface DefinitionPlace extends Place {
  /** @default 'id' */
  readonly order?: DefinitionOrder
  /** The list begins with the last of this order. */
  readonly descending?: boolean
}

export interface Page<Row> {
  /** In the order of the list, whichever way it was read. */
  readonly rows: readonly Row[]
  /** Key of the last row that was looked at, when the search stopped before it had found enough. Absent: it did not. */
  readonly lookedTo: string | undefined
  /** Of the whole list, told with its first page when there are more and counting them is cheap. */
  readonly count?: BoundedCount | undefined
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
  /** Of its workflow, as it stands now: any of these. */
  readonly tags?: readonly string[] | undefined
  /** What its id or correlation id begins with, or its workflow's id or name contains. */
  readonly text?: string | undefined
  readonly created?: TimeRange | undefined
  readonly finished?: TimeRange | undefined
  /** Those that somebody has taken up: they began when they were made. One that is queued has not begun. */
  readonly started?: TimeRange | undefined
  /** Members of the input that must have this text, or be this number or boolean. */
  readonly input?: readonly { readonly path: readonly string[]; readonly value: string }[] | undefined
}

export interface ListedDefinitionFilter extends DefinitionFilter {
  /** Any of these. */
  readonly tags?: readonly string[] | undefined
  /** What its id, its name or one of its tags contains, whatever the case. */
  readonly text?: string | undefined
}

export interface ListedDefinition extends DefinitionSummary {
  readonly updatedAt: number
  readonly updatedBy: string | undefined
  /** Its key in the order of the list. */
  readonly key: string
}

/** What starts a published graph from outside. */
export interface TriggerView {
  readonly kind: 'schedule' | 'event' | 'http'
  /** Id of the schedule, name of the event, or method and path. */
  readonly text: string
  /** Of a schedule: when it fires, as parsed JSON. */
  readonly when?: unknown
}

/** How a definition stands, besides its summary. */
export interface DefinitionStanding {
  readonly id: string
  /** Number of its newest version; 0: it never had one. */
  readonly latest: number
  /** Its draft says something else than its published version. */
  readonly ahead: boolean
  /** Of its published version, at most five of a kind. */
  readonly triggers: readonly TriggerView[]
}

export interface ScheduleFilter {
  readonly definitionId?: string | undefined
  readonly paused?: boolean | undefined
  /** What its id or its name contains, whatever the case. */
  readonly text?: string | undefined
}

export type ListedSchedule = Pick<
  ScheduleRow,
  'tenant' | 'id' | 'document' | 'revision' | 'definitionId' | 'owner' | 'paused' | 'dueAt' | 'lastFiredAt'
> & {
  /** The latest decision about it; undefined: there was none yet. */
  readonly lastRun: ScheduleRun | undefined
  /** Of its latest twenty decisions. */
  readonly lately: { readonly runs: number; readonly late: number; readonly skipped: number }
}

export interface BookmarkFilter {
  readonly name?: string | undefined
  readonly kind?: string | undefined
  readonly correlationId?: string | undefined
  readonly instanceId?: string | undefined
}

/** What an instance waits for from outside. */
export interface BookmarkView {
  readonly id: string
  readonly instanceId: string
  readonly definitionId: string
  readonly step: string
  readonly kind: string
  readonly name: string
  readonly correlationId: string | undefined
  readonly createdAt: number
  readonly expiresAt: number | undefined
}

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

/** How many instances have which status, among the newest 10,000 that can fit. */
export interface StatusCounts {
  /** By status as it is shown; those of which there are none are left out. */
  readonly statuses: Readonly<Record<string, number>>
  /** There are no others. */
  readonly exact: boolean
}

/** What lists are made of, page by page and in both directions. Every read looks at a bounded number of rows. Never part of a decision. */
export interface BrowseStore {
  /** Newest first unless told; keys are ids. */
  instances(tenant: string, filter: InstanceFilter, place: InstancePlace, limit: number): Promise<Page<InstanceView>>
  /** Inputs are not looked at: they stand in journals, and thousands of those would be read. */
  instanceCounts(tenant: string, filter: Omit<InstanceFilter, 'statuses' | 'input'>): Promise<StatusCounts>
  /** Copies of one, newest first, behind an id. */
  forks(tenant: string, of: string, from: string | undefined, limit: number): Promise<readonly InstanceView[]>
  definitions(
    tenant: string,
    filter: ListedDefinitionFilter,
    place: DefinitionPlace,
    limit: number,
  ): Promise<Page<ListedDefinition>>
  /** Of those definitions that there are, in no order. */
  standings(tenant: string, definitionIds: readonly string[]): Promise<readonly DefinitionStanding[]>
  /** By id. */
  schedules(tenant: string, filter: ScheduleFilter, place: Place, limit: number): Promise<Page<ListedSchedule>>
  /** Latest decision first; keys are ids. */
  runs(tenant: string, scheduleId: string, place: Place, limit: number): Promise<Page<ScheduleRun>>
  /** Newest first, those before the id `before`. */
  bookmarks(
    tenant: string,
    filter: BookmarkFilter,
    before: string | undefined,
    limit: number,
  ): Promise<Page<BookmarkView>>
  /** By name, at most 1,000. */
  nodes(): Promise<readonly NodeView[]>
  /** By name, at most 100. */
  queues(): Promise<readonly QueueView[]>
}

/** Instances that wait for one lock. */
export interface LockWait {
  /** Full name of the lock. */
  readonly name: string
  readonly instances: number
  /** Since when the first of them does; epoch milliseconds of the store's clock. */
  readonly since: number
}

/** One instance that waits for one lock. */
export interface LockWaiter {
  /** Full name of the lock. */
  readonly name: string
  readonly instanceId: string
  readonly definitionId: string
  readonly step: string
  /** Epoch milliseconds of the store's clock. */
  readonly since: number
  /** It waits for ever. `false`: it gives up some time, or stands in line for its step, which may. */
  readonly isEndless: boolean
}

/** How long the first of what is due, and nobody has in hand, has waited by the store's clock; 0: nothing is. */
export interface OldestDue {
  /** Graphs, which every worker takes. */
  readonly graphsMs: number
  /** Functions, which those take that have their code. */
  readonly functionsMs: number
}

export interface LockWaiters {
  readonly waiters: readonly LockWaiter[]
  /** There may be others, beyond one of the bounds. */
  readonly more: boolean
}

/** Who has what in hand, and who stands in line for it. As bounded as lists are. */
export interface HoldingStore {
  /** By id of the instance. */
  held(tenant: string, place: Place, limit: number): Promise<Page<HeldView>>
  /** Of the first 500 queues and tenants that have such work: graphs and functions each. */
  oldestDue(): Promise<OldestDue>
  /** `undefined`: nobody has it in hand. */
  holder(tenant: string, instanceId: string): Promise<HeldView | undefined>
  /** How many instances stand in line for a lock of their steps, by the lock's full name; those that nobody waits for are left out. Counts stop at 1,000. */
  lockLines(names: readonly string[]): Promise<ReadonlyMap<string, number>>
  /**
   * Instances that wait for locks, whether or not they ask at this moment: those with a step in line, at most 1,000, and of the first 1,000 that
   * have something to do those whose last fact is that they wait for a critical section.
   */
  lockWaits(): Promise<readonly LockWait[]>
  /** The same, each by itself: at most `limit`, those who have waited longest first. */
  lockWaiters(limit: number): Promise<LockWaiters>
}
