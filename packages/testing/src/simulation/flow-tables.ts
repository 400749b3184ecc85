/** Rows of migration 0013, without what is only there to be found quickly. */
export interface FlowPolicyTableRow {
  readonly tenant: string
  readonly definitionId: string
  revision: number
  /** JSON text. */
  declared: string | undefined
  declaredBy: number | undefined
  chosen: string | undefined
  /** The one in force. */
  policy: string | undefined
  updatedAt: number
}

export interface FlowKeys {
  readonly singleton: string
  readonly concurrency: string
  readonly rate: string
}

export interface TicketTableRow {
  readonly tenant: string
  readonly instanceId: string
  readonly definitionId: string
  state: 'gathering' | 'waiting' | 'admitted'
  keys: FlowKeys
  gather: string | undefined
  readonly gathers: 'debounce' | 'batch' | undefined
  priority: number
  /** When it came, earlier by its priority. */
  rank: number
  queue: string
  readonly since: number
  releaseAt: number | undefined
}

export interface FlowPassRow {
  readonly tenant: string
  readonly definitionId: string
  readonly gate: 'rate' | 'throttle'
  readonly key: string
  readonly at: number
}

export interface FlowInputRow {
  readonly id: string
  readonly tenant: string
  readonly definitionId: string
  readonly instanceId: string
  readonly dedupeKey: string | undefined
  /** JSON text of the first fact. Absent: it was used. */
  data: string | undefined
}

export interface FlowTables {
  readonly flowPolicies: Map<string, FlowPolicyTableRow>
  /** By instance. */
  readonly tickets: Map<string, TicketTableRow>
  readonly flowPasses: FlowPassRow[]
  /** In the order in which they came. */
  readonly flowInputs: Map<string, FlowInputRow>
}

export const emptyFlowTables = (): FlowTables => ({
  flowPolicies: new Map(),
  tickets: new Map(),
  flowPasses: [],
  flowInputs: new Map(),
})
