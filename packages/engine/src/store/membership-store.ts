/** What a node does: `api` answers requests, `worker` claims instances, `scheduler` fires schedules. Any mix. */
export const nodeRoles = ['api', 'worker', 'scheduler'] as const
export type NodeRole = (typeof nodeRoles)[number]

/** What operators want of a node. `cordoned`: it takes nothing more. `drained`: it also hands back what it has. */
export const wantedStates = ['active', 'cordoned', 'drained'] as const
export type WantedState = (typeof wantedStates)[number]

/** What a node says of itself. */
export const nodeStates = ['active', 'cordoned', 'draining', 'drained'] as const
export type NodeState = (typeof nodeStates)[number]

export interface NodeRow {
  readonly id: string
  readonly name: string
  readonly version: string
  /** Newest format of state that it can go on with (`state-format.ts`). @default 1 */
  readonly stateFormat?: number
  /** @default all of them */
  readonly roles?: readonly NodeRole[]
  /** Instances that it can work on at once. @default 0 */
  readonly capacity?: number
  /** What was wanted of the incarnation before. @default 'active' */
  readonly wanted?: WantedState
}

export interface SeenNode {
  readonly id: string
  readonly name?: string
  readonly beat: number
  /** How many more instances it can work on, as it said last. */
  readonly room?: number
}

/** What a node tells of itself with a beat. */
export interface NodeReport {
  readonly state: NodeState
  /** Instances in hand. */
  readonly held: number
  /** Its clock less the store's, as last measured. */
  readonly skewMs?: number | undefined
}

export interface Beat {
  /** `false`: this node was buried. It must drop everything in memory and join under a new id. */
  readonly alive: boolean
  /** What operators want of this node; absent when it was buried. */
  readonly wanted: WantedState | undefined
  /** By the store's clock; absent when it was buried. */
  readonly at: number | undefined
  readonly others: readonly SeenNode[]
}

export const clusterEventKinds = [
  'joined',
  'suspected',
  'buried',
  'cordoned',
  'uncordoned',
  'draining',
  'drained',
  'left',
  'elected',
  'revoked',
  'lock-broken',
] as const
export type ClusterEventKind = (typeof clusterEventKinds)[number]

export interface NewClusterEvent {
  readonly kind: ClusterEventKind
  readonly nodeId: string
  /** Of the node. */
  readonly name: string
  readonly detail?: Readonly<Record<string, unknown>>
}

export interface ClusterEvent extends NewClusterEvent {
  /** Rises in the order of commits, as the positions of facts do. Decimal. */
  readonly position: string
  readonly at: number
  readonly detail: Readonly<Record<string, unknown>>
}

/** Who lives. The node row is the fence: without it no commit goes through. */
export interface MembershipStore {
  join(node: NodeRow): Promise<void>
  /** Raises the own beat, leaves a report, and reads the beats of the others, in one statement. */
  beat(nodeId: string, report?: NodeReport): Promise<Beat>
  /** Writes down once that a node has been silent since it was seen as `beat`, whoever says it first. */
  suspect(node: SeenNode, by: string): Promise<void>
  /**
   * Buries a node whose beat has not changed since it was seen as `beat`: marks it, deletes its row, which frees its claims.
   * `false`: it has beaten since, or another survivor was faster, or it still holds its row and will be tried again.
   */
  bury(node: SeenNode, by?: string): Promise<boolean>
  /** Frees the claims of a node that ends in good order, and deletes its row. */
  leave(nodeId: string): Promise<void>
  /** Says what is wanted of a node; its next beat tells it. `false`: there is no such node. */
  order(nodeId: string, wanted: WantedState): Promise<boolean>
  /** Writes an event down. Old ones go: some ten thousand are kept, for a month at most. */
  note(event: NewClusterEvent): Promise<void>
  /** Oldest first, past `after`; only those that no earlier one can still come before. */
  events(after: string, limit: number): Promise<readonly ClusterEvent[]>
}

/** Clock of a node less the clock of the store, from one exchange; the true one differs by half the round trip at most. */
export function clockSkew(at: number, sentAt: number, receivedAt: number): number {
  return Math.round((sentAt + receivedAt) / 2 - at)
}
