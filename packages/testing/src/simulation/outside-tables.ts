import type { NewHumanTask, NewTask, NewToken } from '@lockstep/engine/ports'
import type { Tables } from './tables.ts'

export interface TaskTableRow extends NewTask {
  status: 'open' | 'completed' | 'failed' | 'cancelled'
  dueAt: number
  leaseNo: number
  worker: string | undefined
  /** JSON text. */
  progress: string | undefined
  readonly createdAt: number
  endedAt: number | undefined
}

export interface HumanTaskTableRow extends NewHumanTask {
  status: 'open' | 'completed' | 'cancelled'
  outcome: string | undefined
  completedBy: string | undefined
  readonly createdAt: number
  endedAt: number | undefined
}

export interface TokenTableRow extends NewToken {
  readonly instanceId: string
  readonly expiresAt: number
  used: boolean
}

/** What migration 0016 of the PostgreSQL store holds. */
export interface OutsideTables {
  readonly tasks: Map<string, TaskTableRow>
  readonly humanTasks: Map<string, HumanTaskTableRow>
  readonly tokens: Map<string, TokenTableRow>
  /** Events all of whose starts were reported. */
  readonly triggered: Set<string>
}

const outside = new WeakMap<Tables, OutsideTables>()

export function outsideOf(tables: Tables): OutsideTables {
  const present = outside.get(tables)
  if (present !== undefined) return present
  const made: OutsideTables = { tasks: new Map(), humanTasks: new Map(), tokens: new Map(), triggered: new Set() }
  outside.set(tables, made)
  return made
}
