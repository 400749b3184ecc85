/** Which instances a bulk operation is about. Everything that is given must fit. */
export interface OperationFilter {
  /** Of operations that were made before they could name several. */
  readonly definitionId?: string | undefined
  readonly definitionIds?: readonly string[] | undefined
  readonly version?: number | undefined
  /** As they are shown: `queued`, `running`, `suspended`, `paused`, `faulted` and so on. */
  readonly statuses?: readonly string[] | undefined
  readonly correlationId?: string | undefined
  /** Epoch milliseconds; `createdBefore` is the first moment that is too late. */
  readonly createdFrom?: number | undefined
  readonly createdBefore?: number | undefined
  /** Not those that are queued. Operations that are kept say so by their statuses. */
  readonly begun?: true | undefined
  readonly finishedFrom?: number | undefined
  readonly finishedBefore?: number | undefined
  readonly parentId?: string | undefined
  /** Of its workflow, as it stands now: any of these. */
  readonly tags?: readonly string[] | undefined
  /** What its id or correlation id begins with, or its workflow's id or name contains. */
  readonly text?: string | undefined
  /** Members of the input that must have this text, or be this number or boolean. */
  readonly input?: readonly { readonly path: readonly string[]; readonly value: string }[] | undefined
  readonly instanceIds?: readonly string[] | undefined
  /** Not these, whatever else they are. */
  readonly excludeIds?: readonly string[] | undefined
}

export interface OperationPreview {
  /** Instances that it would be done with. */
  readonly count: number
  /** `false`: not all instances were looked at, there may be more. */
  readonly exact: boolean
  /** Ids of the newest. */
  readonly sample: readonly string[]
  /**
   * Those that fit and would be left as they are: how many of each status, or `not-found`; `limit`: there is no room for them; of deletions
   * `held`, `parent-lives` or `unsettled`; of migrations `same-version`.
   */
  readonly skipped: Readonly<Record<string, number>>
  /** Workflows of those that it would be done with. */
  readonly definitionIds: readonly string[]
}

export interface PreviewBounds {
  readonly lookAt: number
  readonly sample: number
  /** Statuses of those that are listed at all; absent: whatever they are. */
  readonly listed?: readonly string[] | undefined
  /** Most that are listed, the oldest first. */
  readonly limit?: number | undefined
  /** What keeps an ended instance from being deleted counts. */
  readonly deletes?: boolean | undefined
  /** Those that have this version are left as they are. */
  readonly toVersion?: number | undefined
}

/**
 * `freezing`: its instances are being listed. `applying`: the list is complete, and worked off. `paused`: nobody goes on with either until it is
 * continued. `cancelled`: what was not done by then stays undone.
 */
export type OperationState = 'freezing' | 'applying' | 'paused' | 'done' | 'cancelled'

/** What operators want of an operation that is not over. */
export type OperationWish = 'cancel' | 'pause' | 'continue'

export interface NewOperation {
  readonly tenant: string
  readonly id: string
  readonly verb: string
  /** JSON text. */
  readonly options: string
  readonly filter: OperationFilter
  /** Most instances. */
  readonly limit: number
  readonly note: string | undefined
}

export interface BulkOperation {
  readonly tenant: string
  readonly id: string
  readonly verb: string
  /** Parsed JSON. */
  readonly options: unknown
  readonly filter: OperationFilter
  readonly limit: number
  readonly note: string | undefined
  readonly state: OperationState
  readonly createdAt: number
  readonly finishedAt: number | undefined
  /** Instances listed so far; final once it is `applying`. */
  readonly total: number
  /** There were more than `limit`. */
  readonly cut: boolean
  /** How many have which outcome. */
  readonly outcomes: Readonly<Record<string, number>>
}

export interface OperationItem {
  readonly instanceId: string
  /** `undefined`: not done yet. */
  readonly outcome: string | undefined
  readonly detail: string | undefined
}

/** Bulk operations: a frozen list of instances, and how far its working off has come. Any node may go on with it, one at a time. */
export interface OperationStore {
  create(operation: NewOperation): Promise<void>
  get(tenant: string, id: string): Promise<BulkOperation | undefined>
  /** Newest first, those before the id `before`. */
  list(tenant: string, before: string | undefined, limit: number): Promise<readonly BulkOperation[]>
  /** Asking again for what is so already is harmless. `false`: unknown, or over. */
  steer(tenant: string, id: string, wish: OperationWish): Promise<boolean>
  /** By instance id, those after `after`; `outcome`: only those that have it. */
  items(
    tenant: string,
    id: string,
    page: { readonly after: string | undefined; readonly outcome: string | undefined },
    limit: number,
  ): Promise<readonly OperationItem[]>
  /** The oldest one that is neither over nor paused. */
  next(): Promise<Pick<BulkOperation, 'tenant' | 'id' | 'verb' | 'options' | 'state'> | undefined>
  /** Lists the next instances that fit, looking at no more than `lookAt`. When there are none left it is `applying`. */
  freeze(tenant: string, id: string, lookAt: number): Promise<void>
  /** Instances without an outcome, by id. None: it is done from now on, unless it is paused. */
  pending(tenant: string, id: string, limit: number): Promise<readonly string[]>
  /** Notes outcomes of items that have none. */
  settle(
    tenant: string,
    id: string,
    items: readonly { readonly instanceId: string; readonly outcome: string; readonly detail: string | undefined }[],
  ): Promise<void>
  /**
   * What an operation would be about: instances that fit now, looking at no more than `lookAt`, newest first. `meant`: statuses that its verb
   * can do anything with.
   */
  preview(
    tenant: string,
    filter: OperationFilter,
    meant: readonly string[],
    bounds: PreviewBounds,
  ): Promise<OperationPreview>
}
