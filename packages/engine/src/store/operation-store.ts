/** Which instances a bulk operation is about. Everything that is given must fit. */
export interface OperationFilter {
  readonly definitionId?: string | undefined
  readonly version?: number | undefined
  /** As of their last rest: `queued`, `running`, `suspended`, `paused`, `faulted` and so on. */
  readonly statuses?: readonly string[] | undefined
  readonly correlationId?: string | undefined
  /** Epoch milliseconds; `createdBefore` is the first moment that is too late. */
  readonly createdFrom?: number | undefined
  readonly createdBefore?: number | undefined
  readonly instanceIds?: readonly string[] | undefined
}

/**
 * `freezing`: its instances are being listed. `applying`: the list is complete, and worked off. `cancelled`: what was not done by then stays
 * undone.
 */
export type OperationState = 'freezing' | 'applying' | 'done' | 'cancelled'

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
  /** `false`: unknown, or over. */
  cancel(tenant: string, id: string): Promise<boolean>
  /** By instance id, those after `after`; `outcome`: only those that have it. */
  items(
    tenant: string,
    id: string,
    page: { readonly after: string | undefined; readonly outcome: string | undefined },
    limit: number,
  ): Promise<readonly OperationItem[]>
  /** The oldest one that is not over. */
  next(): Promise<Pick<BulkOperation, 'tenant' | 'id' | 'verb' | 'options' | 'state'> | undefined>
  /** Lists the next instances that fit, looking at no more than `lookAt`. When there are none left it is `applying`. */
  freeze(tenant: string, id: string, lookAt: number): Promise<void>
  /** Instances without an outcome, by id. None: it is done from now on. */
  pending(tenant: string, id: string, limit: number): Promise<readonly string[]>
  /** Notes outcomes of items that have none. */
  settle(
    tenant: string,
    id: string,
    items: readonly { readonly instanceId: string; readonly outcome: string; readonly detail: string | undefined }[],
  ): Promise<void>
  /** Instances that fit now, looking at no more than `lookAt`: what an operation would be about. Newest first. */
  preview(
    tenant: string,
    filter: OperationFilter,
    lookAt: number,
    sample: number,
  ): Promise<{ readonly count: number; readonly exact: boolean; readonly sample: readonly string[] }>
}
