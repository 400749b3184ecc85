/** What the API answers, as far as Studio reads it. */
export type InstanceStatus =
  | 'queued'
  | 'running'
  | 'suspended'
  | 'paused'
  | 'compensating'
  | 'completed'
  | 'faulted'
  | 'cancelled'
  | 'terminated'
  | 'quarantined'

export interface Page<T> {
  readonly items: readonly T[]
  readonly page: { readonly next: string | null; readonly prev: string | null; readonly limit: number }
  readonly count: { readonly value: number; readonly exact: boolean }
}

export interface Failure {
  readonly code: string
  readonly message: string
  readonly step?: string | null
  readonly data?: unknown
}

export interface WaitingFor {
  readonly bookmarkId: string
  readonly kind: string
  readonly name: string
  readonly dueAt?: string | null
  readonly expiresAt?: string | null
}

export interface Instance {
  readonly id: string
  readonly definitionId: string
  readonly version: number
  readonly status: InstanceStatus
  readonly input: unknown
  readonly output: unknown
  readonly variables: Readonly<Record<string, unknown>> | null
  readonly correlationId: string | null
  readonly tenant: string
  readonly parentId: string | null
  readonly createdAt: string
  readonly startedAt: string | null
  readonly finishedAt: string | null
  readonly nodeId: string | null
  readonly waitingFor: readonly WaitingFor[]
  readonly incidents: readonly (Failure & { readonly id: string; readonly at: string })[]
  readonly revision: number
  readonly error: Failure | null
  /** A run of a draft. */
  readonly test?: boolean
}

export interface FactRow {
  readonly seq: number
  readonly kind: string
  readonly at: string
  readonly nodeId: string
  readonly claimNo: number
  readonly data: Readonly<Record<string, unknown>>
}

export interface StateAt {
  readonly seq: number
  readonly lastSeq: number
  readonly at: string | null
  readonly version: number
  readonly status: InstanceStatus
  readonly input: unknown
  readonly variables: Readonly<Record<string, unknown>> | null
  readonly output: unknown
  readonly error: Failure | null
  readonly steps: readonly {
    readonly step: string
    readonly activity: string
    readonly phase: string
    readonly attempt: number
  }[]
  readonly waits: readonly {
    readonly step: string
    readonly kind: string
    readonly name: string | null
    readonly seq: number
    readonly dueAt: string | null
  }[]
}

/** What became of one activity, over the whole journal up to a fact. */
export interface ActivityTally {
  readonly activity: string
  readonly status: 'running' | 'suspended' | 'retrying' | 'completed' | 'faulted' | 'cancelled'
  /** Key of the run that the journal spoke of last. */
  readonly step: string
  readonly runs: number
  readonly failures: number
  readonly retries: number
  readonly outcomes: Readonly<Record<string, number>>
  readonly firstAt: string | null
  readonly lastAt: string | null
  readonly lastError: Failure | null
}

export interface ActivitiesAt {
  readonly seq: number
  readonly lastSeq: number
  readonly items: readonly ActivityTally[]
}

/** What a running step says of itself. */
export interface StepProgress {
  readonly step: string
  readonly attempt: number
  readonly fraction: number | null
  readonly done: number | null
  readonly total: number | null
  readonly note: string | null
  readonly beat: unknown
  readonly at: string
}

export interface Why {
  readonly state: string
  readonly since: string | null
  readonly text: string
  readonly heldBy: { readonly nodeId: string; readonly name: string | null; readonly claimNo: number } | null
  readonly movesAt: string | null
  readonly blockers: readonly { readonly kind: string; readonly text: string; readonly untilAt: string | null }[]
  readonly advice: readonly string[]
}

export interface Definition {
  readonly id: string
  readonly name: string
  readonly kind: 'graph' | 'function'
  readonly version: number | null
  readonly etag: string
}

/** What starts a published graph from outside: an event by its name, a request by its method and path, a schedule by its id. */
export interface Trigger {
  readonly kind: 'schedule' | 'event' | 'http'
  readonly text: string
  /** Of a schedule: when it fires. */
  readonly when: Readonly<Record<string, unknown>> | null
}

export interface DefinitionItem extends Definition {
  /** `ahead`: its draft says something else than what is published. `retracted`: it has versions, and none is published. */
  readonly state: 'draft' | 'published' | 'ahead' | 'retracted'
  readonly triggers: readonly Trigger[]
}

export interface Version {
  readonly id: string
  readonly version: number
  readonly kind: 'graph' | 'function'
  readonly hash: string
  readonly document: GraphDocument | null
  readonly pinned: { readonly value: number; readonly exact: boolean }
}

export interface VersionItem {
  readonly version: number
  readonly hash: string
  readonly publishedAt: string | null
  readonly current: boolean
}

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

export interface Incident {
  readonly id: string
  readonly instanceId: string
  readonly definitionId: string
  readonly version: number
  readonly instanceStatus: InstanceStatus
  readonly state: 'open' | 'resolved'
  readonly step: string | null
  readonly code: string
  readonly message: string
  readonly fingerprint: string
  readonly openedAt: string
  readonly resolvedAt: string | null
  readonly resolution: string | null
  readonly note: string | null
}

export interface IncidentGroup {
  readonly fingerprint: string
  readonly definitionId: string
  readonly code: string
  readonly step: string | null
  readonly message: string
  readonly open: number
  readonly instances: number
  readonly firstAt: string
  readonly lastAt: string
}

export interface Schedule {
  readonly id: string
  readonly name: string | null
  readonly document: Readonly<Record<string, unknown>>
  readonly paused: boolean
  readonly definitionId: string | null
  readonly nextAt: string | null
  readonly lastFiredAt: string | null
  readonly owner: string | null
  readonly etag: string
}

export interface ScheduleRun {
  readonly id: string
  readonly state: 'started' | 'waiting' | 'skipped'
  readonly reason: string | null
  readonly origin: string
  readonly nominalAt: string | null
  readonly count: number
  readonly late: boolean
  readonly instanceId: string | null
  readonly firedAt: string | null
  readonly nodeId: string
  readonly endedAt: string | null
  readonly status: string | null
}

export interface Preview {
  readonly items: readonly {
    readonly at: string
    readonly wall: string
    readonly offset: string
    readonly status: string
    readonly dst: string | null
    readonly calendar: string | null
  }[]
}

export interface ClusterNode {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly state: string
  readonly self: boolean
  readonly startedAt: string | null
  readonly beatAt: string | null
  readonly silentMs: number
  readonly holds: number
  readonly roles?: readonly string[]
  readonly capacity?: number
  readonly skewMs?: number | null
}

/** One process of `lockstep cluster dev`, as its supervisor sees it. */
export interface DevProcess {
  readonly name: string
  readonly state: 'starting' | 'running' | 'paused' | 'stopping' | 'dead'
  readonly url: string | null
}

export interface ClusterNodes {
  readonly items: readonly ClusterNode[]
  /** How long a node may be silent. Servers of before do not say. */
  readonly patience?: { readonly heartbeatMs: number; readonly lateMs: number; readonly goneMs: number }
  /** What the node that answers leans on. */
  readonly servers?: readonly { readonly name: string; readonly roundTripMs: number | null }[]
  /** Only under `lockstep cluster dev`, dead ones too. Servers of before know nothing of it. */
  readonly processes?: readonly DevProcess[]
}

export interface Lock {
  readonly key: string
  readonly kind: string
  readonly state: 'held' | 'stale' | 'free'
  readonly holder: {
    readonly nodeId: string | null
    readonly name: string | null
    readonly instanceId: string | null
  } | null
  readonly fence: string | null
  readonly acquiredAt: string | null
  readonly expiresAt: string | null
  readonly ttlMs: number | null
  /** Who asks for it at this moment. */
  readonly waiters: number
  /** Instances with a step in line for it. */
  readonly waitingInstances: number
  readonly holders: number
}

interface LockSide {
  readonly nodeId: string | null
  readonly name: string | null
  readonly share: string
  readonly fence: string | null
  readonly since: string | null
  readonly expiresAt: string | null
  readonly state: string | null
}

export interface LockDetail extends Lock {
  readonly held: readonly LockSide[]
  readonly queue: readonly LockSide[]
  readonly history: readonly {
    readonly at: string | null
    readonly kind: string
    readonly name: string | null
    readonly fence: string
    readonly reason: string | null
    readonly by: string | null
  }[]
}

export interface BatchOperation {
  readonly id: string
  readonly action: string
  readonly state: 'freezing' | 'applying' | 'done' | 'cancelled'
  readonly note: string | null
  readonly total: number
  readonly cut: boolean
  readonly done: number
  readonly outcomes: Readonly<Record<string, number>>
  readonly createdAt: string
  readonly finishedAt: string | null
}

/** What became of one instance of a batch. */
export interface BatchItem {
  readonly instanceId: string
  /** null: not done yet. */
  readonly outcome: string | null
  readonly detail: string | null
}
