/** How much of what came, by name. Sums of two rows are added name by name. */
export type MetricSums = Readonly<Record<string, number>>

/** The same of each part of the work, such as a workflow. What was beyond the bound stands under `OTHER_PARTS`. */
export type MetricParts = Readonly<Record<string, MetricSums>>

/** No workflow and no node has this name. */
export const OTHER_PARTS = ''

/** Under which name a workflow is a part. An id has no slash, whatever the tenant has. */
export const partOfDefinition = (tenant: string, definitionId: string): string => `${tenant}/${definitionId}`

export interface MetricSlot {
  /** Its beginning, milliseconds since 1970 by the store's clock. */
  readonly at: number
  readonly sums: MetricSums
}

export interface MetricRange {
  /** Up to now. */
  readonly rangeMs: number
  readonly slotMs: number
  /** Of one node: what was summed up with others is not there any more. */
  readonly nodeId?: string | undefined
  /** Rows to be read at most, the latest ones. */
  readonly limit: number
}

/** One part in one slot. */
export interface MetricPartSlot extends MetricSlot {
  readonly part: string
}

export interface PartsRange extends MetricRange {
  /** `node`: parts are ids of nodes, as long as their rows are. `definition`: workflows of this tenant; those of others are other parts. */
  readonly by: { readonly kind: 'node' } | { readonly kind: 'definition'; readonly tenant: string }
  /** So many parts by name, those in which most instances ended. */
  readonly most: number
}

export interface RollUpRequest {
  /** Rows of slots of this length … */
  readonly slotMs: number
  /** … become rows of slots of this one, over all nodes. */
  readonly intoMs: number
  /** Slots that ended so long ago, by the store's clock. */
  readonly olderMs: number
  readonly limit: number
}

/** What the nodes of the cluster counted. Nothing here is on the way of a commit, and nobody misses a row that was not written. */
export interface MetricStore {
  /** Keeps what a node counted in the minute that is just over, all of it and of each workflow. */
  write(nodeId: string, sums: MetricSums, byDefinition?: MetricParts): Promise<void>
  /** Slots in which something came, oldest first. */
  read(range: MetricRange): Promise<readonly MetricSlot[]>
  /** What instances came to, part by part: oldest first. */
  readParts(range: PartsRange): Promise<readonly MetricPartSlot[]>
  /** Sums at most `limit` rows up, oldest first, in one transaction: no row counts twice or not at all. Answers how many rows there were. */
  rollUp(request: RollUpRequest): Promise<number>
  /** Deletes at most `limit` rows that are older, and answers how many. */
  trim(olderMs: number, limit: number): Promise<number>
}
