import type { ClusterEvent, NodeReport, WantedState } from '@lockstep/engine/ports'
import { emptyFlowTables, type FlowKeys, type FlowTables } from './flow-tables.ts'
import { emptyMaintenanceTables, type MaintenanceTables } from './maintenance-tables.ts'
import { emptyOperationTables, type OperationTables } from './operation-tables.ts'
import { emptyScheduleTables, type ScheduleTables } from './schedule-tables.ts'

/** Rows of the simulated database: what migration 0002 of the PostgreSQL store holds, with times in milliseconds of the database's clock. */

export interface NodeTableRow {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly stateFormat: number
  readonly capacity: number
  wanted: WantedState
  report: NodeReport | undefined
  beat: number
  /** The beat at which somebody missed it last. */
  suspected: number | undefined
  doomed: boolean
}

export interface DefinitionTableRow {
  readonly id: string
  readonly tenant: string
  readonly kind: 'graph' | 'function'
  name: string
  /** JSON text. */
  draft: string | undefined
  revision: number
  published: number | undefined
  latest: number
  tags: readonly string[]
  updatedBy: string | undefined
}

export interface VersionTableRow {
  readonly id: string
  readonly tenant: string
  readonly version: number
  readonly hash: string
  /** JSON text. */
  readonly document: string | undefined
  readonly publishedAt: number
  /** Ids of the workflows that it runs. */
  readonly runs: readonly string[]
}

export interface InstanceTableRow {
  readonly id: string
  readonly tenant: string
  readonly definitionId: string
  version: number
  correlationId: string | undefined
  readonly dedupeKey: string | undefined
  readonly parentId: string | undefined
  readonly parentStep: string | undefined
  queue: string
  readonly createdAt: number
  status: string
  finishedAt: number | undefined
  lastSeq: number
  claimNo: number
  snapshotSeq: number
  snapshotAt: number | undefined
  /** JSON text. */
  snapshot: string | undefined
  /** Where it is under control. */
  flow?: FlowKeys | undefined
}

export interface AgendaTableRow {
  readonly instanceId: string
  readonly tenant: string
  queue: string
  dueAt: number
  claimedBy: string | undefined
  claimNo: number
  crashes: number
  stim: number
}

export interface JournalTableRow {
  readonly instanceId: string
  readonly tenant: string
  readonly seq: number
  readonly claimNo: number
  readonly position: bigint
  readonly at: number
  readonly nodeId: string
  readonly kind: string
  /** JSON text. */
  readonly data: string
}

export interface InboxTableRow {
  readonly id: number
  readonly instanceId: string
  readonly tenant: string
  readonly kind: string
  readonly bookmarkId: string | undefined
  readonly name: string | undefined
  step: string | undefined
  /** JSON text. */
  readonly payload: string
  readonly dedupeKey: string | undefined
}

export interface BookmarkTableRow {
  readonly id: string
  readonly tenant: string
  readonly instanceId: string
  step: string
  readonly kind: string
  readonly name: string
  readonly correlationId: string | undefined
  readonly hash: string
  readonly tokenHash: string | undefined
  readonly expiresAt: number | undefined
  readonly createdAt: number
}

export interface EventTableRow {
  readonly id: string
  readonly tenant: string
  readonly name: string
  readonly correlationId: string | undefined
  /** JSON text. */
  readonly payload: string
  readonly publishedAt: number
  readonly expiresAt: number
  matched: number
  /** Number of the transaction after which it may be settled. */
  settleAfter: number | undefined
  settled: boolean
  /** Instances it has reached: a later wait of theirs is for another event. */
  readonly reached: Set<string>
}

export interface IncidentTableRow {
  readonly id: string
  readonly tenant: string
  readonly instanceId: string
  readonly step: string | undefined
  readonly fingerprint: string
  readonly code: string
  readonly message: string
  readonly openedAt: number
  resolvedAt: number | undefined
  resolution: string | undefined
  note: string | undefined
}

export interface IncidentCareTableRow {
  readonly acknowledgedAt: number | undefined
  readonly acknowledgedBy: string | undefined
  readonly assignedAt: number | undefined
  readonly assignee: string | undefined
  readonly mutedAt: number | undefined
  readonly mutedUntil: number | undefined
  readonly mutedVersion: number | undefined
  readonly note: string | undefined
}

export interface FlushTableRow {
  readonly nodeId: string
  readonly flushNo: number
  readonly at: number
  /** Places in the batch. */
  readonly lost: readonly number[]
  readonly stimulated: readonly number[]
}

/** A statement of user code that committed together with its step. */
export interface UserStatementRow {
  readonly nodeId: string
  readonly flushNo: number
  readonly instanceIds: readonly string[]
  readonly text: string
  readonly values: readonly unknown[]
}

/** Kept for the checker alone: no statement reads it. */
export type HistoryRow =
  | { readonly kind: 'claimed'; readonly instanceId: string; readonly claimNo: number; readonly nodeId: string }
  | {
      readonly kind: 'consumed'
      readonly bookmarkId: string
      readonly instanceId: string
      readonly by: 'resume' | 'event' | 'owner'
    }
  /** A commit of the owner says that the message was heard. */
  | { readonly kind: 'applied'; readonly messageId: number; readonly instanceId: string }
  | { readonly kind: 'buried' | 'left'; readonly nodeId: string }

export interface Tables extends FlowTables, ScheduleTables, MaintenanceTables, OperationTables {
  readonly nodes: Map<string, NodeTableRow>
  readonly clusterEvents: ClusterEvent[]
  readonly definitions: Map<string, DefinitionTableRow>
  readonly versions: Map<string, VersionTableRow>
  readonly instances: Map<string, InstanceTableRow>
  readonly agenda: Map<string, AgendaTableRow>
  /** By instance, in the order in which rows were written. */
  readonly journal: Map<string, JournalTableRow[]>
  readonly inbox: Map<string, InboxTableRow[]>
  readonly bookmarks: Map<string, BookmarkTableRow>
  readonly events: Map<string, EventTableRow>
  readonly incidents: Map<string, IncidentTableRow>
  /** By tenant and fingerprint. */
  readonly incidentCare: Map<string, IncidentCareTableRow>
  readonly flushes: Map<string, FlushTableRow>
  readonly userStatements: UserStatementRow[]
  readonly history: HistoryRow[]
}

export function emptyTables(): Tables {
  return {
    nodes: new Map(),
    clusterEvents: [],
    definitions: new Map(),
    versions: new Map(),
    instances: new Map(),
    agenda: new Map(),
    journal: new Map(),
    inbox: new Map(),
    bookmarks: new Map(),
    events: new Map(),
    incidents: new Map(),
    incidentCare: new Map(),
    flushes: new Map(),
    userStatements: [],
    history: [],
    ...emptyScheduleTables(),
    ...emptyFlowTables(),
    ...emptyMaintenanceTables(),
    ...emptyOperationTables(),
  }
}

/** A key of several columns. */
export const keyOf = (...parts: readonly (string | number)[]): string => parts.join('\u0000')
