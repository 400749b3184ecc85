/**
 * What the API answers, by the names that Studio has for it: the shapes of the client that is generated from the validating schemas,
 * so that a page and its server cannot drift apart unnoticed. `Told` says more of single members where the schemas leave them open.
 */
import type {
  InstanceState,
  ItemOf,
  JournalItem,
  ReplyBody,
  VersionSummary,
  Instance as WireInstance,
  Lock as WireLock,
  LockDetail as WireLockDetail,
  Schedule as WireSchedule,
  ScheduleRun as WireScheduleRun,
  Version as WireVersion,
  Why as WireWhy,
  WorkflowDefinition,
} from '@lockstep/api'

/** `Wire` with members of which more is known. One that the API does not have does not compile. */
type Told<Wire, More extends { readonly [Name in keyof More]: Name extends keyof Wire ? unknown : never }> = Omit<
  Wire,
  keyof More
> &
  More

type Values = Readonly<Record<string, unknown>>
type Counts = Readonly<Record<string, number>>

export interface Failure {
  readonly code: string
  readonly message: string
  readonly step?: string | null
  readonly data?: unknown
}

export type InstanceStatus = WireInstance['status']
export type WaitingFor = WireInstance['waitingFor'][number]
/** One that somebody outside can end. */
export type OutsideWait = Told<WaitingFor, { readonly bookmarkId: string }>
export type Instance = Told<
  WireInstance,
  {
    readonly variables: Values | null
    readonly createdAt: string
    readonly incidents: readonly Told<WireInstance['incidents'][number], { readonly at: string }>[]
    readonly error: Failure | null
  }
>

export interface Page<T> {
  readonly items: readonly T[]
  readonly page: { readonly next: string | null; readonly prev: string | null; readonly limit: number }
  readonly count: { readonly value: number; readonly exact: boolean }
}

/** `position` is the server's: rows of lists that are put together here have none. */
export type FactRow = Omit<Told<JournalItem, { readonly data: Values }>, 'position'>
export type StateAt = Told<
  InstanceState,
  { readonly status: InstanceStatus; readonly variables: Values | null; readonly error: Failure | null }
>

type WireActivities = ReplyBody<'listWorkflowInstanceActivities'>
/** What became of one activity, over the whole journal up to a fact. */
export type ActivityTally = Told<
  WireActivities['items'][number],
  { readonly outcomes: Counts; readonly lastError: Failure | null }
>
export type ActivitiesAt = Told<WireActivities, { readonly items: readonly ActivityTally[] }>
export type StatusCounts = Told<
  ReplyBody<'countWorkflowInstances'>,
  { readonly statuses: Readonly<Record<string, number>> }
>
/** What a running step says of itself. */
export type StepProgress = Told<ReplyBody<'getWorkflowInstanceProgress'>['items'][number], { readonly at: string }>
export type Why = Told<
  WireWhy,
  {
    readonly heldBy: { readonly nodeId: string; readonly name: string | null; readonly claimNo: number } | null
    readonly waitsFor: readonly { readonly kind: string; readonly step: string; readonly dueAt?: string | null }[]
  }
>

export type Definition = WorkflowDefinition
type WireDefinitionItem = ItemOf<'listWorkflowDefinitions'>
/** What starts a published graph from outside: an event by its name, a request by its method and path, a schedule by its id. */
export type Trigger = Told<WireDefinitionItem['triggers'][number], { readonly when: Values | null }>
/** Servers of before say nothing of tags. */
export type DefinitionItem = Told<WireDefinitionItem, { readonly triggers: readonly Trigger[] }> & {
  readonly tags?: readonly string[]
}
export type Version = Told<WireVersion, { readonly document: GraphDocument | null }>
export type VersionItem = VersionSummary
export type Consumer = ItemOf<'listWorkflowConsumers'>

export type Incident = Told<
  ItemOf<'listIncidents'>,
  { readonly instanceStatus: InstanceStatus; readonly openedAt: string }
>
type WireGroup = ReplyBody<'groupIncidents'>['items'][number]
export type IncidentHistogram = Told<WireGroup['histogram'], { readonly from: string }>
/** Nodes of before do not say when they came, nor with which version they began. */
export type IncidentGroup = Told<
  Omit<WireGroup, 'histogram' | 'cleanVersion'>,
  { readonly firstAt: string; readonly lastAt: string }
> &
  Partial<Pick<WireGroup, 'cleanVersion'>> & { readonly histogram?: IncidentHistogram }
export interface IncidentGroups {
  readonly items: readonly IncidentGroup[]
  /** Where nothing is open, or only what is muted. */
  readonly lastResolved?: Incident | null
}

/** Lists say how it went lately; servers of before do not. */
export type Schedule = Told<WireSchedule, { readonly document: Values }> &
  Partial<Pick<ItemOf<'listSchedules'>, 'lastRun' | 'lately'>>
export type ScheduleRun = WireScheduleRun
type WirePreview = ReplyBody<'previewSchedule'>
export type Preview = Told<
  WirePreview,
  { readonly items: readonly Told<WirePreview['items'][number], { readonly at: string }>[] }
>

type WireNodes = ReplyBody<'listNodes'>
type WireNode = WireNodes['items'][number]
/** Nodes of before say less of themselves. */
type Later = 'roles' | 'wanted' | 'capacity' | 'inUse' | 'skewMs'
export type ClusterNode = Omit<WireNode, Later | 'state'> & Partial<Pick<WireNode, Later>> & { readonly state: string }
/** One process of `lockstep cluster dev`, as its supervisor sees it. */
export type DevProcess = WireNodes['processes'][number]
/** What servers of before do not say is absent: how long a node may be silent, what it leans on, the processes of `cluster dev`. */
export type ClusterNodes = Partial<Omit<WireNodes, 'items'>> & { readonly items: readonly ClusterNode[] }

export type Lock = WireLock
export type LockDetail = WireLockDetail

type WireBatch = ItemOf<'listBatchOperations'>
export type BatchOperation = Told<
  WireBatch,
  { readonly state: WireBatch['state'] | 'paused'; readonly outcomes: Counts; readonly createdAt: string }
>
/** What became of one instance of a batch. */
export type BatchItem = ItemOf<'listBatchOperationItems'>

export interface GraphBody {
  readonly activities: readonly Activity[]
  readonly connections?: readonly { readonly from: string; readonly to: string; readonly outcome?: string }[]
}

export interface Activity {
  readonly id: string
  readonly type: string
  readonly name?: string
  readonly description?: string
  readonly inputs?: Readonly<Record<string, unknown>>
  readonly body?: GraphBody
  readonly branches?: readonly GraphBody[]
  readonly catch?: GraphBody
  readonly finally?: GraphBody
  readonly compensate?: GraphBody
}

export interface GraphDocument extends GraphBody {
  readonly id: string
  readonly name?: string
  readonly description?: string
  readonly input?: unknown
  readonly variables?: Readonly<Record<string, unknown>>
}
