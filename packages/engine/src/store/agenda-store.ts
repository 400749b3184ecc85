export interface InboxMessage {
  readonly id: string
  readonly kind: string
  readonly bookmarkId: string | undefined
  readonly step: string | undefined
  /** Parsed JSON. */
  readonly payload: unknown
}

/** An instance that this node now owns. */
export interface Claim {
  readonly tenant: string
  readonly instanceId: string
  readonly claimNo: number
  readonly stim: number
  /** How many claims in a row ended without a clean commit, this one included. */
  readonly crashes: number
  /** Milliseconds until it is due, by the store's clock; negative when it is late. */
  readonly dueInMs: number
  /** What `stim` counts, where the store gave it along. Absent: read the inbox. */
  readonly messages?: readonly InboxMessage[] | undefined
}

export interface ClaimRequest {
  readonly nodeId: string
  readonly queues: readonly string[]
  readonly limit: number
  /** How many of them may be new: that have never run. @default all */
  readonly newLimit?: number
  /** Also take what becomes due within this time: it is fired from memory, on time. */
  readonly aheadMs: number
  /** Skip rows that were due longer ago than this: a cheap look past dead index entries. Absent: look at all. */
  readonly floorMs: number | undefined
}

export interface RecordedFact {
  readonly seq: number
  readonly kind: string
  /** Parsed JSON. */
  readonly data: unknown
  readonly at: number
}

/** All that is needed to go on with an instance on a node that does not have it in memory. */
export interface LoadedInstance {
  readonly tenant: string
  readonly instanceId: string
  readonly definitionId: string
  readonly version: number
  readonly correlationId: string | undefined
  readonly parentId: string | undefined
  readonly parentStep: string | undefined
  readonly status: string
  /** Parsed JSON; `snapshotSeq` is 0 without one, and when it is of a format that this version does not know. */
  readonly snapshot: unknown
  readonly snapshotSeq: number
  /** Moment of the commit that wrote the snapshot: timers that began with it count from here. */
  readonly snapshotAt: number | undefined
  /** Facts after the snapshot, in order, without a gap. */
  readonly facts: readonly RecordedFact[]
  readonly openBookmarks: readonly { readonly id: string; readonly step: string; readonly hash: string }[]
  /** Read in the same statement as the bookmarks: where one is gone, the counter has risen. 0 without a place on the agenda. */
  readonly stim: number
}

export interface Inbox {
  readonly instanceId: string
  /** Read in the same statement as the messages. */
  readonly stim: number
  readonly messages: readonly InboxMessage[]
}

/** Who works on what, and when. */
export interface AgendaStore {
  /** Takes due instances that nobody has and whose journals the node can read (`state-format.ts`). May answer fewer than there are; call again. */
  claim(request: ClaimRequest): Promise<readonly Claim[]>
  /** All claims that the store holds for this node: resolves a claim whose answer was lost. */
  claims(nodeId: string): Promise<readonly Claim[]>
  load(instanceIds: readonly string[]): Promise<readonly LoadedInstance[]>
  inbox(instanceIds: readonly string[]): Promise<readonly Inbox[]>
  /** Gives claims back untouched, as if they had never been taken. */
  release(nodeId: string, instanceIds: readonly string[]): Promise<void>
}
