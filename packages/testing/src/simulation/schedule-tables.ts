import type { RunOrigin, RunState } from '@lockstep/engine/ports'

/** Rows of migration 0008 of the PostgreSQL store. Ends are no table here: what has ended and was not told is looked up. */
export interface ScheduleTableRow {
  readonly id: string
  readonly tenant: string
  /** JSON text. */
  document: string
  revision: number
  definitionId: string
  owner: string | undefined
  activity: string | undefined
  paused: boolean
  dueAt: number | undefined
  wakeAt: number | undefined
  lastFiredAt: number | undefined
  after: readonly string[]
  /** JSON text. */
  round: string | undefined
}

export interface RunTableRow {
  readonly id: string
  readonly scheduleId: string
  readonly tenant: string
  readonly key: string
  state: RunState
  /** Waits, or has not been seen to end. */
  open: boolean
  reason: string | undefined
  readonly origin: RunOrigin
  readonly nominalAt: number
  readonly lastAt: number | undefined
  readonly count: number
  readonly exact: boolean
  readonly late: boolean
  instanceId: string | undefined
  readonly nodeId: string
  readonly decidedAt: number
  firedAt: number | undefined
  endedAt: number | undefined
  status: string | undefined
  /** JSON text, while it waits. */
  started: string | undefined
}

export interface ScheduleTables {
  readonly schedules: Map<string, ScheduleTableRow>
  readonly scheduleRuns: Map<string, RunTableRow>
  /** The version that its schedules were made from, by definition. */
  readonly scheduleSources: Map<string, number | undefined>
  /** Of schedules and drafts that were deleted: migration 0049. */
  readonly retiredRevisions: Map<string, RetiredRevision>
}

export interface RetiredRevision {
  readonly revision: number
  readonly pausedFor: string | undefined
}

export const emptyScheduleTables = (): ScheduleTables => ({
  schedules: new Map(),
  scheduleRuns: new Map(),
  scheduleSources: new Map(),
  retiredRevisions: new Map(),
})
