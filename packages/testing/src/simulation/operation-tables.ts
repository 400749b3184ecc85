import type { OperationFilter, OperationState } from '@lockstep/engine/ports'

/** Rows of migration 0012 of the PostgreSQL store. */
export interface OperationTableRow {
  readonly tenant: string
  readonly id: string
  readonly verb: string
  /** JSON text. */
  readonly options: string
  readonly filter: OperationFilter
  readonly limit: number
  readonly note: string | undefined
  readonly createdAt: number
  state: OperationState
  finishedAt: number | undefined
  paused: boolean
  walkedTo: string
  total: number
  cut: boolean
  /** By instance. */
  readonly items: Map<string, { outcome: string | undefined; detail: string | undefined }>
}

export interface OperationTables {
  readonly operations: Map<string, OperationTableRow>
}

export const emptyOperationTables = (): OperationTables => ({ operations: new Map() })
