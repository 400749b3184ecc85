import type { FactRow, NewBookmark } from './commit-store.ts'

/** What an operator asks of an instance. Its inbox keeps it until the owner of the instance has done it. */
export interface VerbMessage {
  readonly tenant: string
  readonly instanceId: string
  /** `terminate`, `pause`, `continue`, `assign` or `migrate`. */
  readonly kind: string
  /** JSON text. */
  readonly payload: string
  /** A second message with the same key, while the first is not done, is the same message. */
  readonly dedupeKey: string | undefined
  /** Functions that are to migrate: where an instance that nobody holds is put, for those who have the new code. */
  readonly queue: string | undefined
  /** The bulk operation that this is an item of: its outcome is noted in the same transaction, and asking again does nothing. */
  readonly operationId: string | undefined
}

export interface RetryMessage {
  readonly tenant: string
  readonly instanceId: string
  /** In this order. The last one is the retry itself. Payloads are JSON text. */
  readonly messages: readonly { readonly kind: string; readonly payload: string }[]
  readonly queue: string | undefined
  /** Also when a parent has taken note of its end. */
  readonly force: boolean
  /** Goes to the incidents that this resolves. */
  readonly note: string | undefined
  readonly operationId: string | undefined
}

export type VerbVerdict =
  | { readonly kind: 'accepted' }
  /** The same was asked before and is not done yet. */
  | { readonly kind: 'already-requested' }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'wrong-state'; readonly status: string }
  /** Its parent knows of its end, or may. */
  | { readonly kind: 'parent-told'; readonly parentId: string }
  /** Of a bulk operation: this item has its outcome already. */
  | { readonly kind: 'done-before' }

/** A run that begins as a copy of another. */
export interface ForkItem {
  readonly tenant: string
  readonly nodeId: string
  readonly sourceId: string
  /** The last fact to copy. */
  readonly atSeq: number
  readonly instanceId: string
  readonly version: number
  readonly correlationId: string | undefined
  readonly dedupeKey: string | undefined
  readonly queue: string
  /** Takes the place of the first fact. */
  readonly started: FactRow
  /** Follows the copied ones. */
  readonly forked: FactRow
  readonly opens: readonly NewBookmark[]
}

export type ForkVerdict =
  | { readonly kind: 'forked' }
  | { readonly kind: 'duplicate'; readonly instanceId: string }
  | { readonly kind: 'not-found' }

/** One ended instance that is to go before its time. */
export interface EraseRequest {
  readonly tenant: string
  readonly instanceId: string
  /** Facts that go at once; the rest of a longer journal goes with the next sweep. */
  readonly rows: number
  /** Only says what would come of it. */
  readonly look: boolean
  readonly operationId: string | undefined
}

export type EraseVerdict =
  | { readonly kind: 'deleted'; readonly facts: number; readonly incidents: number }
  | { readonly kind: 'not-found' }
  /** It has not ended. */
  | { readonly kind: 'wrong-state'; readonly status: string }
  /** By a rule about `*`, `definition:<id>` or `instance:<id>`. */
  | { readonly kind: 'held'; readonly subject: string; readonly reason: string | undefined }
  /** The instance that started it has not ended: it would start it once more. */
  | { readonly kind: 'parent-lives'; readonly parentId: string }
  /** Its schedule has not been told of its end. */
  | { readonly kind: 'unsettled' }
  | { readonly kind: 'done-before' }

/** The owner's last word on an instance before others go on with it as another version. */
export interface Revision {
  readonly tenant: string
  readonly instanceId: string
  readonly nodeId: string
  readonly claimNo: number
  /** Number of the fact; the one before it must exist. */
  readonly seq: number
  readonly fact: FactRow
  /** Absent: stays as it is. */
  readonly version: number | undefined
  readonly queue: string | undefined
  /** Steps that have another key from now on, in bookmarks and messages. */
  readonly renames: readonly { readonly from: string; readonly to: string }[]
  /** Ids of inbox messages that this applies. */
  readonly consumes: readonly string[]
}

/** What operators do with instances. Every method is one transaction; its answer comes after the commit. */
export interface VerbStore {
  send(message: VerbMessage): Promise<VerbVerdict>
  /** Only for what has faulted or was quarantined. What has ended is open again; its incidents are resolved. */
  retry(message: RetryMessage): Promise<VerbVerdict>
  fork(item: ForkItem): Promise<ForkVerdict>
  /** Deletes what has ended with all that belongs to it, as retention does when its time has come. */
  erase(request: EraseRequest): Promise<EraseVerdict>
  /** Writes the fact, changes version and queue, and gives the claim back, due at once. `false`: the claim or the chain is not ours any more. */
  revise(revision: Revision): Promise<boolean>
  /** Gives the claim back untouched, due at once, in another queue. `false`: it was not ours. */
  handOver(nodeId: string, instanceId: string, claimNo: number, queue: string | undefined): Promise<boolean>
  /** Ids of instances of a version that have not ended, among the next `lookAt` of all after `after`. `next`: where to go on; absent: at the end. */
  pinned(
    tenant: string,
    definitionId: string,
    version: number,
    page: { readonly after: string | undefined; readonly lookAt: number },
  ): Promise<{ readonly ids: readonly string[]; readonly next: string | undefined }>
  /** Ids of children that have not ended, in order, those after `after`. */
  children(tenant: string, parentId: string, after: string | undefined, limit: number): Promise<readonly string[]>
}
