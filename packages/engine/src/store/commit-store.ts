/** One row of an instance's journal, before it has its number, time and place. `data` is JSON text: it is written once and never read back by us. */
export interface FactRow {
  readonly kind: string
  readonly data: string
}

/** A run that begins with this batch. Its first fact is `started`, with `input` as JSON text inside `data`. */
export interface StartItem {
  readonly tenant: string
  readonly instanceId: string
  readonly definitionId: string
  /** Absent: the version that is published when the statement runs (P6). */
  readonly version: number | undefined
  /** Unknown unless `version` is the one that is published when the statement runs: what was decided by it would not hold for another (P6). */
  readonly onlyPublished?: boolean | undefined
  readonly correlationId: string | undefined
  /** Two starts of one definition with the same key are one instance. */
  readonly dedupeKey: string | undefined
  readonly parentId: string | undefined
  readonly parentStep: string | undefined
  readonly queue: string
  /** Whether this node works on it at once, or any node when it is due. */
  readonly claimed: boolean
  readonly dueInMs: number
  readonly started: FactRow
}

export interface NewBookmark {
  readonly id: string
  readonly step: string
  readonly kind: string
  readonly name: string
  readonly correlationId: string | undefined
  /** Of the canonical JSON of what it waits for; unique within its instance. */
  readonly hash: string
  readonly tokenHash: string | undefined
  readonly expiresInMs: number | undefined
}

export interface NewEvent {
  readonly tenant: string
  readonly id: string
  readonly name: string
  readonly correlationId: string | undefined
  /** JSON text. */
  readonly payload: string
  readonly ttlMs: number
}

export interface NewIncident {
  readonly id: string
  readonly step: string | undefined
  readonly fingerprint: string
  readonly code: string
  readonly message: string
}

/** What becomes of the claim when the facts of a checkpoint are written. */
export type Disposition =
  /** The instance goes on here. */
  | { readonly kind: 'hold' /** What readers see of it from here on; absent: as before. */; readonly status?: string }
  /** It waits: for a moment (`dueAt`, or `dueInMs` from this commit, whichever is earlier), or only for the outside when both are absent. */
  | {
      readonly kind: 'suspend'
      readonly dueAt: number | undefined
      readonly dueInMs: number | undefined
      readonly status: string
    }
  /** It is finished. */
  | { readonly kind: 'end'; readonly status: string }

/** The next facts of an instance that this node has claimed. Refused as a whole when the claim, the chain or `stim` do not hold. */
export interface CheckpointItem {
  readonly tenant: string
  readonly instanceId: string
  readonly claimNo: number
  /** Number of the first fact; the one before it must exist. */
  readonly seq: number
  readonly facts: readonly FactRow[]
  readonly then: Disposition
  /** Stimuli seen when this was decided. Compared unless the instance is simply held with all bookmarks open. */
  readonly stim: number
  readonly opens: readonly NewBookmark[]
  /** Ids of bookmarks that this decision closes. */
  readonly closes: readonly string[]
  /** Ids of inbox messages that the facts apply. */
  readonly consumes: readonly string[]
  readonly publishes: readonly NewEvent[]
  readonly incidents: readonly NewIncident[]
  /** State as of the last fact, as JSON text; only at suspension, only when it saves reading. */
  readonly snapshot: string | undefined
  /** The correlation id of the instance from here on; absent: it stays what it is. */
  readonly correlationId?: string | undefined
  /** The instance came through what crashed its former owner: forget that it ever did. */
  readonly survived: boolean
  /** Who waits for the end of this instance. Present only when `then` is an end. */
  readonly parent: { readonly instanceId: string; readonly step: string; readonly payload: string } | undefined
}

export interface CommitBatch {
  readonly nodeId: string
  /** Rises by one with each batch of a node. Sending a batch again with its number is the only way to resolve an unknown outcome. */
  readonly flushNo: number
  readonly starts: readonly StartItem[]
  readonly checkpoints: readonly CheckpointItem[]
}

export type StartVerdict =
  | { readonly kind: 'started'; readonly version: number }
  | { readonly kind: 'duplicate'; readonly instanceId: string }
  | { readonly kind: 'unknown-definition' }

export type CheckpointVerdict =
  | { readonly kind: 'written' }
  /** A stimulus arrived that the decision had not seen: read the inbox, decide anew. */
  | { readonly kind: 'stimulated' }
  /** The claim or the chain is not ours any more: drop the instance. */
  | { readonly kind: 'lost' }

export interface CommitResult {
  /** Moment of the commit by the store's clock, milliseconds since 1970. */
  readonly at: number
  /** In the order of the batch. */
  readonly starts: readonly StartVerdict[]
  readonly checkpoints: readonly CheckpointVerdict[]
  /** Instances that this batch gave something to do, other than its own starts. */
  readonly woken: number
  /** The batch had been applied before: this is what it answered then. */
  readonly repeated: boolean
}

/** The one way in which a node changes instances. */
export interface CommitStore {
  /**
   * Writes the whole batch in one transaction under the fence of the node row. Throws `FENCED` when the node was buried,
   * `COMMIT_UNKNOWN` when the answer was lost (send the same batch again), any other error when nothing was written.
   * A batch whose number was committed before answers what it answered then. A fact whose number is taken is an error that names
   * the constraint `journal_pkey`: that item has lost its instance.
   */
  commit(batch: CommitBatch): Promise<CommitResult>
  /** Forgets batches of this node before a number: nobody will ask for them any more. */
  trim(nodeId: string, beforeFlushNo: number): Promise<void>
}
