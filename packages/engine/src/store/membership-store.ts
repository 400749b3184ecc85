export interface NodeRow {
  readonly id: string
  readonly name: string
  readonly version: string
}

export interface SeenNode {
  readonly id: string
  readonly beat: number
}

export interface Beat {
  /** `false`: this node was buried. It must drop everything in memory and join under a new id. */
  readonly alive: boolean
  readonly others: readonly SeenNode[]
}

/** Who lives. The node row is the fence: without it no commit goes through. */
export interface MembershipStore {
  join(node: NodeRow): Promise<void>
  /** Raises the own beat and reads those of the others, in one statement. */
  beat(nodeId: string): Promise<Beat>
  /**
   * Buries a node whose beat has not changed since it was seen as `beat`: marks it, deletes its row, which frees its claims.
   * `false`: it has beaten since, or another survivor was faster, or it still holds its row and will be tried again.
   */
  bury(node: SeenNode): Promise<boolean>
  /** Frees the claims of a node that ends in good order, and deletes its row. */
  leave(nodeId: string): Promise<void>
}
