import type { ClusterEvent, MembershipStore, NodeState, WantedState } from '../store/membership-store.ts'
import type { WakeBus } from '../worker/wake-bus.ts'
import { SUSPICIOUS } from './membership.ts'
import { ORDER_TOPIC } from './order-topic.ts'

export interface ClusterContext {
  readonly store: MembershipStore
  readonly bus: WakeBus
  readonly nodeId: () => string
  readonly heartbeatMs: number
  readonly ttlMs: number
  readonly state: () => NodeState
  /** There is an order for this node itself. */
  readonly onOwnOrder: () => Promise<void>
}

/** The nodes as operators see them. */
export class Cluster {
  readonly #o: ClusterContext

  constructor(context: ClusterContext) {
    this.#o = context
  }

  /** How long a node may be silent: it beats every `heartbeatMs`, is suspected after `lateMs`, and buried after `goneMs`. */
  get patience(): { readonly heartbeatMs: number; readonly lateMs: number; readonly goneMs: number } {
    const { heartbeatMs, ttlMs } = this.#o
    return { heartbeatMs, lateMs: ttlMs * SUSPICIOUS, goneMs: ttlMs }
  }

  /** What this node says of itself. */
  get state(): NodeState {
    return this.#o.state()
  }

  /**
   * `cordoned`: it takes nothing more. `drained`: it also hands back what it has. `active`: it takes part again. Settles when the order is
   * durable; the node hears of it over the bus, or with its next beat. `false`: there is no such node.
   */
  async order(nodeId: string, wanted: WantedState): Promise<boolean> {
    const { store, bus } = this.#o
    if (!(await store.order(nodeId, wanted))) return false
    bus.publish(`${ORDER_TOPIC}${nodeId}`)
    // Not every bus tells those who publish.
    if (nodeId === this.#o.nodeId()) await this.#o.onOwnOrder()
    return true
  }

  /** What happened to nodes, oldest first; `after` is the position of the last one that was read. */
  events(after = '0', limit = 100): Promise<readonly ClusterEvent[]> {
    return this.#o.store.events(after, limit)
  }
}
