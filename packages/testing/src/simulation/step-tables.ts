import type { BreakerChange, LimitRule, LineKind, Part, ProgressRow } from '@lockstep/engine/ports'
import type { Tables } from './tables.ts'

export interface LimitTableRow {
  readonly tenant: string
  readonly kind: LineKind
  readonly key: string
  declared: LimitRule
  set: (LimitRule & { readonly at: number }) | undefined
  ticket: number
  usedAt: number
  /** When permits were given, oldest first. */
  grants: number[]
}

export interface PermitTableRow {
  readonly tenant: string
  readonly kind: LineKind | 'breaker'
  readonly key: string
  readonly instanceId: string
  readonly step: string
  readonly ticket: number
  askedAt: number
  calledAt: number | undefined
  untilAt: number | undefined
  nodeId: string | undefined
}

export interface BreakerTableRow {
  readonly tenant: string
  readonly key: string
  state: 'closed' | 'open' | 'half-open'
  generation: number
  openMs: number
  needed: number
  passed: number
  openUntil: number
  openedAt: number | undefined
  reason: string | undefined
  probeNode: string | undefined
  probeUntil: number | undefined
  changedAt: number
  /** Newest first. */
  history: readonly Omit<BreakerChange, 'tenant' | 'key'>[]
}

/** What migrations 0015 and 0023 of the PostgreSQL store hold. */
export interface StepTables {
  readonly limits: Map<string, LimitTableRow>
  readonly permits: Map<string, PermitTableRow>
  readonly breakers: Map<string, BreakerTableRow>
  readonly progress: Map<string, ProgressRow & { at: number }>
  /** By instance, in their order. */
  readonly parts: Map<string, Part[]>
}

const steps = new WeakMap<Tables, StepTables>()

/** What belonged to the row of a node that is gone went with it. */
export function stepsOf(tables: Tables): StepTables {
  let made = steps.get(tables)
  if (made === undefined) {
    made = { limits: new Map(), permits: new Map(), breakers: new Map(), progress: new Map(), parts: new Map() }
    steps.set(tables, made)
  }
  for (const [key, { nodeId }] of made.permits) {
    if (nodeId !== undefined && !tables.nodes.has(nodeId)) made.permits.delete(key)
  }
  for (const row of made.breakers.values()) {
    if (row.probeNode !== undefined && !tables.nodes.has(row.probeNode)) row.probeNode = undefined
  }
  return made
}
