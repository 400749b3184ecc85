/** How much of what came, by name. Sums of two rows are added name by name. */
export type MetricSums = Readonly<Record<string, number>>

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
  /** Keeps what a node counted in the minute that is just over. */
  write(nodeId: string, sums: MetricSums): Promise<void>
  /** Slots in which something came, oldest first. */
  read(range: MetricRange): Promise<readonly MetricSlot[]>
  /** Sums at most `limit` rows up, oldest first, in one transaction: no row counts twice or not at all. Answers how many rows there were. */
  rollUp(request: RollUpRequest): Promise<number>
  /** Deletes at most `limit` rows that are older, and answers how many. */
  trim(olderMs: number, limit: number): Promise<number>
}
