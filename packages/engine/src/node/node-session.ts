/** One incarnation of a node: its row, its pipeline, its worker. When it is buried all of it goes, and a new one takes its place. */
import { type Clock, errorMessage, type Logger, type Random, type Timer } from '@lockstep/base'
import type { InstanceState } from '../cache/instance-states.ts'
import { CommitPipeline } from '../commit/commit-pipeline.ts'
import type { Heart } from '../membership/heart.ts'
import { Membership } from '../membership/membership.ts'
import { ORDER_TOPIC } from '../membership/order-topic.ts'
import type { EngineMetrics } from '../metrics/engine-metrics.ts'
import type { EngineStore } from '../store/engine-store.ts'
import type { NodeRole, NodeState, WantedState } from '../store/membership-store.ts'
import { STATE_FORMAT } from '../store/state-format.ts'
import type { InstanceTraces } from '../trace/instance-traces.ts'
import type { ChildStart, Ended, Execution, ExecutionHost, InstanceIdentity } from '../worker/execution.ts'
import { StoreClock } from '../worker/store-clock.ts'
import { silentBus, type WakeBus } from '../worker/wake-bus.ts'
import { Worker } from '../worker/worker.ts'
import type { Operators } from '../worker/worker-options.ts'
import { NodeDuty } from './node-duty.ts'

export interface NodeSessionOptions {
  readonly nodeId: string
  readonly name: string
  readonly version: string
  readonly roles: readonly NodeRole[]
  /** What was wanted of the incarnation before. */
  readonly wanted: WantedState
  readonly heart?: Heart | undefined
  /** How long running steps may go on when operators drain the node. */
  readonly drainMs: number
  readonly store: EngineStore
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly newId: () => string
  readonly bus?: WakeBus
  readonly heartbeatMs: number
  readonly ttlMs: number
  readonly pollMs: number
  readonly concurrency: number
  readonly flights?: number
  readonly warmLimit?: number
  readonly queues: () => readonly string[]
  readonly open: (identity: InstanceIdentity, host: ExecutionHost) => Promise<Execution>
  readonly startChild: (parent: InstanceIdentity, child: ChildStart) => Promise<void>
  readonly operators: Operators
  readonly onMoved: (instanceId: string) => void
  readonly onPublished: (tenant: string, eventIds: readonly string[]) => void
  readonly onEnded: (identity: InstanceIdentity, end: Ended, last: () => InstanceState | undefined) => void
  /** What operators want of the node has begun, or is done. */
  readonly onState: (state: NodeState) => void
  readonly metrics?: EngineMetrics | undefined
  readonly traces?: InstanceTraces | undefined
  readonly onCommitted?: () => void
  /** Buried: drop this session and begin another. */
  readonly onBuried: () => void
  /** This node has buried another one. */
  readonly onBurial: (nodeId: string) => void
}

const TRIM_EVERY_MS = 60_000
/** So that a timer is in hand before it is due, whenever the poll comes. */
const AHEAD_OF_POLL_MS = 500
const KEPT_MINUTES = 10
/** Topics that say nothing of work: of the live feed, and of partial results. */
const OTHERS = /^(?:live|part|definition):/

export class NodeSession {
  readonly id: string
  readonly pipeline: CommitPipeline
  readonly worker: Worker
  readonly storeClock: StoreClock
  readonly duty: NodeDuty
  readonly #membership: Membership
  readonly #options: NodeSessionOptions
  #unsubscribe: () => void = () => {}
  #over = false
  #leaving = false
  #trimTimer: Timer | undefined
  #flushNos: number[] = []

  constructor(options: NodeSessionOptions) {
    const { nodeId, store, clock, random, logger, bus = silentBus, name, version, roles, wanted } = options
    this.id = nodeId
    this.#options = options
    this.storeClock = new StoreClock(clock)
    this.pipeline = new CommitPipeline({
      nodeId,
      commits: store.commits,
      clock,
      random,
      logger: logger.area('commit'),
      ...(options.flights === undefined ? {} : { flights: options.flights }),
      metrics: options.metrics,
      onFenced: () => this.#buried(),
      onCommit: (at, woken) => {
        this.storeClock.hear(at)
        options.onCommitted?.()
        if (woken > 0) this.#wakeAll(bus)
      },
      onLateStart: () => this.worker.lookForClaims(),
    })
    this.worker = new Worker({
      ...options,
      claims: roles.includes('worker'),
      roomElsewhere: () => this.#membership.roomElsewhere,
      idlePollMs: options.pollMs,
      aheadMs: options.pollMs + AHEAD_OF_POLL_MS,
      pipeline: this.pipeline,
      storeClock: this.storeClock,
      logger: logger.area('worker'),
    })
    const cluster = logger.area('cluster')
    this.duty = new NodeDuty({
      ...{ worker: this.worker, clock, logger: cluster, drainMs: options.drainMs },
      onState: (state) => this.#told(state),
    })
    this.#membership = new Membership({
      node: {
        id: nodeId,
        name,
        version,
        stateFormat: STATE_FORMAT,
        roles,
        capacity: roles.includes('worker') ? options.concurrency : 0,
        wanted,
      },
      store: store.membership,
      clock,
      logger: cluster,
      heartbeatMs: options.heartbeatMs,
      ttlMs: options.ttlMs,
      heart: options.heart,
      report: () => ({ state: this.duty.state, held: this.worker.heldCount }),
      onOrder: (order) => {
        if (!this.#leaving) this.duty.heed(order)
      },
      onTime: (at) => this.storeClock.hear(at),
      onBuried: () => this.#buried(),
      onBurial: (buried) => {
        this.#wakeAll(bus)
        options.onBurial(buried)
      },
    })
  }

  get isOver(): boolean {
    return this.#over
  }

  /** Of this node's clock, less that of the store; 0 while nothing speaks for a difference. */
  get skewMs(): number {
    return this.#membership.skewMs
  }

  async begin(): Promise<void> {
    await this.#membership.join()
    // Whoever claims must know the store's clock: by its own, which begins at 0, no timer would be due.
    await this.#membership.beatNow()
    if (this.#over) return
    this.duty.heed(this.#options.wanted)
    this.#unsubscribe = (this.#options.bus ?? silentBus).subscribe((topic) => this.#hear(topic))
    this.worker.run()
    this.#scheduleTrim()
  }

  /** There may be an order for this node. */
  hearOrders(): Promise<void> {
    return this.#membership.beatNow()
  }

  /** Hands over what it has and takes nothing more, but stays: the first half of leaving. No order changes it any more. */
  async retire(drainMs: number): Promise<void> {
    this.#leaving = true
    this.pipeline.hurry()
    await this.duty.drain(drainMs)
  }

  /** Lets effects finish, writes what they did, hands the rest over and takes the row away. */
  async leave(drainMs: number): Promise<void> {
    this.#leaving = true
    this.pipeline.hurry()
    this.#unsubscribe()
    this.#trimTimer?.cancel()
    await this.worker.drain(drainMs)
    this.pipeline.close()
    if (!this.#over) await this.#membership.leave()
    this.#over = true
    this.#options.bus?.publish('due')
  }

  /** Flush rows are needed as long as one of them could be sent again; ten minutes are far beyond that. */
  #scheduleTrim(): void {
    this.#trimTimer = this.#options.clock.schedule(Math.max(TRIM_EVERY_MS, this.#options.pollMs), () => {
      this.#flushNos.push(this.pipeline.stats.flushCount)
      const before = this.#flushNos.length > KEPT_MINUTES ? this.#flushNos.shift() : undefined
      if (before !== undefined && before < this.pipeline.stats.flushCount) {
        this.#options.store.commits.trim(this.id, before).catch(() => undefined) // tried again in a minute
      }
      if (!this.#over) this.#scheduleTrim()
    })
  }

  #hear(topic: string): void {
    if (topic.startsWith(ORDER_TOPIC)) {
      if (topic === `${ORDER_TOPIC}${this.id}`) void this.hearOrders()
    } else if (topic.startsWith('stim:')) this.worker.nudge(topic.slice('stim:'.length))
    else if (!OTHERS.test(topic)) this.worker.wake()
  }

  /** The others see it at once, not with the next beat. */
  #told(state: NodeState): void {
    const { store, name, onState, logger } = this.#options
    if (this.#over) return
    onState(state)
    const noted = state === 'drained' ? store.membership.note({ kind: 'drained', nodeId: this.id, name }) : undefined
    Promise.resolve(noted)
      .catch((error: unknown) => logger.warn('event not written', { kind: state, reason: errorMessage(error) }))
      .then(() => this.#membership.beatNow())
  }

  #wakeAll(bus: WakeBus): void {
    this.worker.wake()
    bus.publish('due')
  }

  #buried(): void {
    if (this.#over) return
    this.#over = true
    this.#unsubscribe()
    this.#trimTimer?.cancel()
    this.#membership.stop()
    this.pipeline.close()
    this.worker.stop('this node was buried')
    this.#options.onBuried()
  }
}
