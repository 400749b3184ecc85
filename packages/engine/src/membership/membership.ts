/**
 * Says that this node lives, and watches whether the others do. Dead is what was observed: the same beat for the whole time to
 * live, on this node's own monotonic clock, without a gap in its own reads. A database that was away buries nobody.
 */
import { type Clock, errorCode, errorMessage, type Logger, type Timer } from '@lockstep/base'
import type { MembershipStore, NodeRow, SeenNode } from '../store/membership-store.ts'

export interface MembershipOptions {
  readonly node: NodeRow
  readonly store: MembershipStore
  readonly clock: Clock
  readonly logger: Logger
  readonly heartbeatMs: number
  readonly ttlMs: number
  /** This node was buried. */
  readonly onBuried: () => void
  /** Another node was buried: its work is free now. */
  readonly onBurial: (nodeId: string) => void
}

interface Observation {
  readonly beat: number
  readonly since: number
}

/** Reads further apart than this many beats do not add up: the silence may have been ours. */
const LARGEST_GAP_BEATS = 2.5

export class Membership {
  readonly #o: MembershipOptions
  #seen = new Map<string, Observation>()
  #lastReadAt = Number.NEGATIVE_INFINITY
  #timer: Timer | undefined
  #stopped = false

  constructor(options: MembershipOptions) {
    this.#o = options
  }

  async join(): Promise<void> {
    await this.#o.store.join(this.#o.node)
    this.#schedule()
  }

  /** Stops beating. The row stays until `leave`, or until the others bury it. */
  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
  }

  async leave(): Promise<void> {
    this.stop()
    await this.#o.store.leave(this.#o.node.id)
  }

  #schedule(): void {
    if (this.#stopped) return
    this.#timer = this.#o.clock.schedule(this.#o.heartbeatMs, () => void this.#beat())
  }

  async #beat(): Promise<void> {
    try {
      const { alive, others } = await this.#o.store.beat(this.#o.node.id)
      if (this.#stopped) return
      if (!alive) {
        this.stop()
        this.#o.onBuried()
        return
      }
      for (const node of this.#observe(others)) await this.#bury(node)
    } catch (error) {
      this.#o.logger.warn('heartbeat not answered', { code: errorCode(error), reason: errorMessage(error) })
    } finally {
      this.#schedule()
    }
  }

  /** Nodes that were silent for the whole time to live. */
  #observe(others: readonly SeenNode[]): SeenNode[] {
    const now = this.#o.clock.monotonic()
    const unbroken = now - this.#lastReadAt <= this.#o.heartbeatMs * LARGEST_GAP_BEATS
    this.#lastReadAt = now
    const before = this.#seen
    this.#seen = new Map(
      others.map((node) => {
        const known = before.get(node.id)
        return [node.id, unbroken && known?.beat === node.beat ? known : { beat: node.beat, since: now }]
      }),
    )
    return others.filter((node) => now - (this.#seen.get(node.id)?.since ?? now) >= this.#o.ttlMs)
  }

  async #bury(node: SeenNode): Promise<void> {
    if (!(await this.#o.store.bury(node))) return
    this.#seen.delete(node.id)
    this.#o.logger.warn('buried a silent node', { nodeId: node.id })
    this.#o.onBurial(node.id)
  }
}
