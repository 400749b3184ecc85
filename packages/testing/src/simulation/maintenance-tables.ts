import type { RetentionRule } from '@lockstep/engine/ports'

/** Rows of migration 0010 of the PostgreSQL store. What retention notes there to find its way is looked up here. */
export interface TurnTableRow {
  holder: string | undefined
  expiresAt: number
  nextAt: number
}

export interface MaintenanceTables {
  readonly turns: Map<string, TurnTableRow>
  readonly retentionRules: Map<string, RetentionRule>
}

export const emptyMaintenanceTables = (): MaintenanceTables => ({ turns: new Map(), retentionRules: new Map() })
