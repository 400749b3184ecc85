/**
 * Says that this node lives, and watches whether the others do. Dead is what was observed: the same beat for the whole time to
 * live, on this node's own monotonic clock, without a gap in its own reads. A database that was away buries nobody.
 *
 * Where there is a heart it beats from beside the main loop, which then only proves that it turns; what the beats were answered
 * comes here either way, so that observing and burying are the same.
 */
import { type Clock, type Logger, type Timer, Trouble } from '@lockstep/base'
import {
  clockSkew,
  type MembershipStore,
  type NodeReport,
  type NodeRow,
  type SeenNode,
  type WantedState,
} from '../store/membership-store.ts'
import { type Heart, type Heartbeat, noHeart, type TimedBeat } from './heart.ts'

export interface MembershipOptions {
  readonly node: NodeRow
  readonly store: MembershipStore
  readonly clock: Clock
  readonly logger: Logger
  readonly heartbeatMs: number
  readonly ttlMs: number
  /** @default the main loop beats */
  readonly heart?: Heart | undefined
  /** What this node says of itself. */
  readonly report: () => Omit<NodeReport, 'skewMs'>
  /** What the store's clock says; called with every beat. */
  readonly onTime?: (at: number) => void
  /** What operators want of this node; called with every beat. */
  readonly onOrder: (wanted: WantedState) => void
  /** This node was buried. */
  readonly onBuried: () => void
  /** Another node was buried: its work is free now. */
  readonly onBurial: (nodeId: string) => void
}

interface Observation {
  readonly beat: number
  readonly since: number
  suspected: boolean
}

/** Reads further apart than this many beats do not add up: the silence may have been ours. */
const LARGEST_GAP_BEATS = 2.5
/** Part of the time to live after which a silence is worth a note. */
export const SUSPICIOUS = 0.5
/** Clocks further apart than this make what people read confusing; nothing depends on them. */
const LARGEST_SKEW_MS = 1_000

export class Membership {
  readonly #o: MembershipOptions
  #seen = new Map<string, Observation>()
  #lastReadAt = Number.NEGATIVE_INFINITY
  #timer: Timer | undefined
  #heartbeat: Heartbeat | undefined
  #skewMs: number | undefined
  #roomElsewhere = 0
  #isSkewed = false
  #stopped = false

  readonly #trouble: Trouble

  constructor(options: MembershipOptions) {
    this.#o = options
    this.#trouble = new Trouble(options.logger, 'heartbeat not answered', 'heartbeats are answered again')
  }

  /** Of this node's clock, less that of the store, where they differ by more than a slow answer explains; else 0. */
  get skewMs(): number {
    return this.#isSkewed ? (this.#skewMs ?? 0) : 0
  }

  /** How many instances the others can take, as those that beat said last. */
  get roomElsewhere(): number {
    return this.#roomElsewhere
  }

  async join(): Promise<void> {
    const { store, node, heart = noHeart, heartbeatMs, ttlMs } = this.#o
    await store.join(node)
    if (this.#stopped) return
    this.#o.logger.info('node joined', { code: 'NODE_JOINED', nodeId: node.id, name: node.name })
    this.#heartbeat = heart.begin({
      ...{ nodeId: node.id, heartbeatMs, ttlMs },
      onBeat: (beat) => void this.#hear(beat),
      onFailure: ({ code, reason }) => this.#unanswered(Object.assign(new Error(reason), { code })),
    })
    this.#heartbeat.pulse(this.#report())
    this.#schedule()
  }

  /** Stops beating. The row stays until `leave`, or until the others bury it. */
  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
    this.#heartbeat?.stop()
  }

  async leave(): Promise<void> {
    this.stop()
    await this.#o.store.leave(this.#o.node.id)
  }

  /** Beats at once: there may be an order, or something to tell. */
  async beatNow(): Promise<void> {
    if (this.#stopped) return
    const { store, clock, node } = this.#o
    const sentAt = clock.now()
    try {
      const beat = await store.beat(node.id, this.#report())
      await this.#hear({ beat, sentAt, receivedAt: clock.now() })
    } catch (error) {
      this.#unanswered(error)
    }
  }

  #report(): NodeReport {
    return { ...this.#o.report(), skewMs: this.#skewMs }
  }

  #schedule(): void {
    if (this.#stopped) return
    this.#timer = this.#o.clock.schedule(this.#o.heartbeatMs, () => void this.#tick())
  }

  async #tick(): Promise<void> {
    if (this.#heartbeat?.pulse(this.#report()) !== true) await this.beatNow()
    this.#schedule()
  }

  async #hear({ beat, sentAt, receivedAt }: TimedBeat): Promise<void> {
    if (this.#stopped) return
    const { alive, wanted, at, others } = beat
    if (!alive) {
      this.stop()
      this.#o.onBuried()
      return
    }
    if (at !== undefined) {
      this.#o.onTime?.(at)
      this.#compareClocks(at, sentAt, receivedAt)
    }
    if (wanted !== undefined) this.#o.onOrder(wanted)
    const isSilent = (id: string): boolean => this.#seen.get(id)?.suspected === true
    this.#roomElsewhere = others.reduce((sum, { id, room }) => (isSilent(id) ? sum : sum + (room ?? 0)), 0)
    try {
      for (const { node, silentMs } of this.#observe(others)) await this.#miss(node, silentMs)
      this.#trouble.over()
    } catch (error) {
      this.#unanswered(error)
    }
  }

  #unanswered(error: unknown): void {
    if (this.#stopped) return
    this.#trouble.failed(error)
  }

  #compareClocks(at: number, sentAt: number, receivedAt: number): void {
    this.#skewMs = clockSkew(at, sentAt, receivedAt)
    // A slow answer says little: only what the journey cannot explain counts.
    const isSkewed = Math.abs(this.#skewMs) - (receivedAt - sentAt) / 2 > LARGEST_SKEW_MS
    if (isSkewed && !this.#isSkewed)
      this.#o.logger.warn('the clock of this node and that of the database differ', { skewMs: this.#skewMs })
    this.#isSkewed = isSkewed
  }

  /** Nodes that were silent for long enough to be noted, and for how long they were when they were read. */
  #observe(others: readonly SeenNode[]): { readonly node: SeenNode; readonly silentMs: number }[] {
    const { clock, heartbeatMs, ttlMs } = this.#o
    const now = clock.monotonic()
    const unbroken = now - this.#lastReadAt <= heartbeatMs * LARGEST_GAP_BEATS
    this.#lastReadAt = now
    const before = this.#seen
    this.#seen = new Map(
      others.map((node) => {
        const known = before.get(node.id)
        const silent = unbroken && known?.beat === node.beat
        return [node.id, silent ? known : { beat: node.beat, since: now, suspected: false }]
      }),
    )
    return others
      .map((node) => ({ node, silentMs: now - (this.#seen.get(node.id)?.since ?? now) }))
      .filter(({ silentMs }) => silentMs >= ttlMs * SUSPICIOUS)
  }

  async #miss(node: SeenNode, silentMs: number): Promise<void> {
    const { store, ttlMs, node: self } = this.#o
    if (silentMs >= ttlMs) return this.#bury(node)
    const seen = this.#seen.get(node.id)
    if (seen === undefined || seen.suspected) return
    seen.suspected = true
    await store.suspect(node, self.id)
  }

  async #bury(node: SeenNode): Promise<void> {
    if (!(await this.#o.store.bury(node, this.#o.node.id))) return
    this.#seen.delete(node.id)
    this.#o.logger.warn('buried a silent node', { code: 'NODE_BURIED', nodeId: node.id, name: node.name })
    this.#o.onBurial(node.id)
  }
}
