/** A piece of work for an outside worker. Its id is also that of the bookmark at which its instance waits. */
export interface NewTask {
  readonly tenant: string
  readonly id: string
  readonly instanceId: string
  readonly step: string
  readonly queue: string
  readonly name: string
  /** JSON text. */
  readonly payload: string
  /** How long a claim lasts without a heartbeat, unless the worker asks for another time. */
  readonly leaseMs: number
  /** Workers that may fall silent with it; then it has failed. */
  readonly mostClaims: number
}

/** `cancelled`: its instance does not wait for it any more. */
export type TaskStatus = 'open' | 'claimed' | 'completed' | 'failed' | 'cancelled'

export interface TaskView {
  readonly tenant: string
  readonly id: string
  readonly instanceId: string
  readonly step: string
  readonly queue: string
  readonly name: string
  /** Parsed JSON; `null` once it has ended: the journal has it. */
  readonly payload: unknown
  readonly status: TaskStatus
  /** Rises with every claim. Only the last one can end the task. */
  readonly leaseNo: number
  readonly worker: string | undefined
  /** When the claim ends without a heartbeat. */
  readonly leaseEndsAt: number | undefined
  /** Parsed JSON. */
  readonly progress: unknown
  readonly createdAt: number
  readonly endedAt: number | undefined
}

export interface TaskClaim {
  readonly tenant: string
  readonly queue: string
  readonly names: readonly string[]
  readonly limit: number
  /** Absent: what each task says. */
  readonly leaseMs: number | undefined
  readonly worker: string
  /** JSON text of the message to instances whose task has no claim left. */
  readonly abandoned: string
}

/** `lease-lost`: the claim has ended, or another worker has the task. Nothing was changed unless it says `done`. */
export type TaskVerdict = 'done' | 'already-completed' | 'lease-lost' | 'cancelled' | 'not-found'

export interface TaskFilter {
  readonly queue?: string | undefined
  readonly name?: string | undefined
  readonly status?: TaskStatus | undefined
  readonly instanceId?: string | undefined
}

/** Work that waits for workers. Every method is one transaction. */
export interface TaskStore {
  /** Repeating it is harmless. Does nothing when the instance does not wait at its bookmark any more. */
  open(task: NewTask): Promise<void>
  /** Takes tasks that are free or whose claim has ended. May answer fewer than there are. */
  claim(claim: TaskClaim): Promise<readonly TaskView[]>
  /** Which kinds of tasks can be claimed now, of the `lookAt` that wait longest; `more`: there are others. */
  look(lookAt: number): Promise<{
    readonly kinds: readonly { readonly tenant: string; readonly queue: string; readonly name: string }[]
    readonly more: boolean
  }>
  /** Extends a claim. `progress` is JSON text. */
  beat(
    tenant: string,
    id: string,
    leaseNo: number,
    leaseMs: number | undefined,
    progress: string | undefined,
  ): Promise<TaskVerdict>
  /** Decides the task: the message (JSON text) is in the inbox of its instance when this settles with `done`. */
  end(
    tenant: string,
    id: string,
    leaseNo: number,
    status: 'completed' | 'failed',
    message: string,
  ): Promise<TaskVerdict>
  get(tenant: string, id: string): Promise<TaskView | undefined>
  /** Newest first, those below `before`. With a filter it looks at the next 10,000. */
  list(tenant: string, filter: TaskFilter, before: string | undefined, limit: number): Promise<readonly TaskView[]>
}
