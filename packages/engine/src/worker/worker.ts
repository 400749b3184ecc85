/**
 * Runs instances and gives them back: those it starts, and those that its claimer brings. It is driven by claims, by wake-ups from
 * this process or another, and by timers of instances in hand.
 */
import {
  type Clock,
  errorMessage,
  type Json,
  type Logger,
  PassingMap,
  sleep,
  type Timer,
  uuidTime,
} from '@lockstep/base'
import type { InstanceState } from '../cache/instance-states.ts'
import type { CommitPipeline } from '../commit/commit-pipeline.ts'
import { commitWithUser } from '../commit/commit-with-user.ts'
import type { StartedFact } from '../journal/fact.ts'
import type { EngineMetrics } from '../metrics/engine-metrics.ts'
import type { Claim, InboxMessage, LoadedInstance } from '../store/agenda-store.ts'
import type { CheckpointItem, CheckpointVerdict } from '../store/commit-store.ts'
import type { EngineStore } from '../store/engine-store.ts'
import type { Taker } from '../store/stimulus-store.ts'
import type { UserTransaction } from '../store/transaction-store.ts'
import type { InstanceTraces } from '../trace/instance-traces.ts'
import { Claimer } from './claimer.ts'
import { isForNextOwner, isPutAside, type Order, orderOf } from './control-messages.ts'
import { DueTimers } from './due-timers.ts'
import type { ChildStart, Ended, Execution, ExecutionHost, InstanceIdentity } from './execution.ts'
import { HeldInstance } from './held-instance.ts'
import type { HeldStart, Holder } from './holder.ts'
import { InboxReader } from './inbox-reader.ts'
import { Probation } from './probation.ts'
import type { StoreClock } from './store-clock.ts'
import { WarmExecutions } from './warm-executions.ts'

export interface WorkerOptions {
  readonly nodeId: string
  readonly pipeline: CommitPipeline
  readonly store: EngineStore
  readonly clock: Clock
  readonly storeClock: StoreClock
  readonly logger: Logger
  readonly newId: () => string
  readonly queues: () => readonly string[]
  /** Makes an execution for an instance of a known definition. Rejects when this node has no program for it. */
  readonly open: (identity: InstanceIdentity, host: ExecutionHost) => Promise<Execution>
  readonly startChild: (parent: InstanceIdentity, child: ChildStart) => Promise<void>
  readonly operators: Operators
  readonly onPublished: (tenant: string, eventIds: readonly string[]) => void
  readonly onEnded: (identity: InstanceIdentity, end: Ended, last: () => InstanceState | undefined) => void
  /** Whether this node runs instances at all. @default true */
  readonly claims?: boolean
  /** Instances whose code runs at once. */
  readonly concurrency: number
  /** Claims of this node in all; burial frees them in one go. */
  readonly mostHeld?: number
  /** How far ahead timers are claimed; must be longer than the idle poll. */
  readonly aheadMs: number
  readonly idlePollMs: number
  readonly warmLimit?: number
  /** Claims in a row without a clean commit after which an instance is quarantined instead of run. */
  readonly mostCrashes?: number
  readonly metrics?: EngineMetrics | undefined
  /** Absent: nobody traces. */
  readonly traces?: InstanceTraces | undefined
}

/** What operators ask for that one instance in hand cannot do by itself. */
export interface Operators {
  /** What the parent of an instance would be told; `undefined`: it has not ended. */
  endOf(tenant: string, instanceId: string): Promise<Json | undefined>
  /** Asks all children that have not ended to terminate, and theirs. */
  terminateChildren(parent: InstanceIdentity, reason: string | undefined): Promise<void>
  /**
   * Does what must be done before anything of the instance runs. A message: it is done by the execution, with what was found out for it.
   * `undefined`: the claim was given back.
   */
  revise(claim: Claim, loaded: LoadedInstance, message: InboxMessage, order: Order): Promise<InboxMessage | undefined>
  /** An instance was given back: some node may have something to claim. */
  onGivenBack(): void
}

const DRAIN_LOOK_MS = 5
/** How long a message for an instance in hand may lie unnoticed when nobody told of it by name. */
const LISTEN_MS = 100
/** How long an instance that this node cannot run is left for others. */
const REFUSED_MS = 5_000
/** Of the room, for instances that have run before. */
const RESERVED = 0.1

export class Worker implements Holder<HeldInstance> {
  readonly #o: Required<WorkerOptions>
  readonly #held = new PassingMap<string, HeldInstance>()
  /** Of instances that only wait. */
  readonly #timers: DueTimers<HeldInstance>
  /** Of instances that run beside their waits. */
  readonly #deadlines: DueTimers<HeldInstance>
  readonly #warm: WarmExecutions
  readonly #claimer: Claimer
  readonly #inboxes: InboxReader
  readonly #probation: Probation
  /** Starts that are on their way and will be adopted here. */
  readonly #expected = new Set<string>()
  #listening: Timer | undefined
  /** Takes nothing more. */
  #cordoned: boolean
  /** Gives back what it has. */
  #draining = false
  /** Counts drains: one that was called off finds another number. */
  #drainNo = 0
  #stopped = false

  constructor(options: WorkerOptions) {
    const defaults = { claims: true, mostHeld: 5_000, warmLimit: 1_000, mostCrashes: 3 }
    this.#o = { ...defaults, metrics: undefined, traces: undefined, ...options }
    this.#cordoned = !this.#o.claims
    const { clock, store, logger } = this.#o
    const { agenda } = store
    this.#warm = new WarmExecutions(this.#o.warmLimit)
    const fire = (held: HeldInstance, dueAt: number): void => {
      const now = this.storeNow()
      const lateMs = Math.max(0, now - dueAt)
      this.metrics?.timerFired(lateMs)
      logger.debug('timer fired', { code: 'TIMER_FIRED', instanceId: held.identity.instanceId, lateMs })
      held.urgent = true
      held.fire(now)
    }
    this.#timers = new DueTimers(clock, fire)
    this.#deadlines = new DueTimers(clock, fire)
    this.#probation = new Probation(clock)
    this.#inboxes = new InboxReader({ agenda, clock, logger })
    this.#claimer = new Claimer({
      ...this.#o,
      agenda,
      room: () => (this.#isShut ? 0 : this.#room()),
      newRoom: () => this.#mostNew - this.#activeCount(),
      isKnown: (id) => this.#held.has(id) || this.#expected.has(id),
      onLook: () => this.#listenSoon(),
      takeOver: (claims) => this.#takeOver(claims),
    })
  }

  get heldCount(): number {
    return this.#held.size
  }

  get metrics(): EngineMetrics | undefined {
    return this.#o.metrics
  }

  get holdMs(): number {
    return this.#o.aheadMs
  }

  /** Whether one more start may begin here instead of waiting for its turn in the agenda. */
  get hasRoom(): boolean {
    if (this.#isShut || this.#stopped) return false
    const coming = this.#expected.size
    return this.#held.size + coming < this.#o.mostHeld && this.#activeCount() + coming < this.#mostNew
  }

  run(): void {
    this.wake()
  }

  /** There may be something to claim. */
  wake(): void {
    this.#claimer.wake()
  }

  /** Runs a write that makes instances due; where it may, the write claims them for this node. */
  ride<T>(
    work: (taker: Taker | undefined) => Promise<T>,
    claimsOf: (answer: T) => readonly Claim[] | undefined,
  ): Promise<T> {
    return this.#claimer.ride(work, claimsOf)
  }

  /** Something was sent to this instance, by this process. */
  nudge(instanceId: string): void {
    const held = this.#held.get(instanceId)
    if (held === undefined) this.wake()
    else held.suspectStimulus()
  }

  /** A start is on its way that will be adopted here: until then its claim in the store is not a lost one. */
  expect(instanceId: string): Disposable {
    this.#expected.add(instanceId)
    return { [Symbol.dispose]: () => this.#expected.delete(instanceId) }
  }

  /** Takes an instance that this node has just started. */
  async adopt(start: HeldStart, startedAt: number, started: Omit<StartedFact, 'kind'>): Promise<void> {
    if (this.#draining) return this.#returnClaims([start.identity.instanceId]).catch(() => this.#claimer.doubt())
    const held = this.#hold(start)
    held.born({ at: startedAt, input: started.input })
    this.#o.traces?.heard(start.identity.instanceId, started)
    this.#trace(held)
    try {
      const execution = await this.#o.open(start.identity, held)
      execution.replay(undefined, [{ seq: 1, kind: 'started', data: started, at: startedAt }])
      held.begin(execution)
    } catch (error) {
      this.#cannotOpen(held, error)
    }
  }

  /** Takes nothing more. What it has in hand goes on. */
  cordon(): void {
    this.#cordoned = true
  }

  /** Takes part again, as far as it ever did. A drain that is under way is called off. */
  uncordon(): void {
    this.#drainNo += 1
    this.#draining = false
    this.#cordoned = !this.#o.claims
    this.wake()
  }

  /**
   * Takes nothing more and gives back what it has: what rests or waits at once, what runs when its effects have ended and all of it is written.
   * What still runs after `limitMs` is dropped, as after a crash. `false`: it was called off.
   */
  async handBack(limitMs: number): Promise<boolean> {
    const turn = ++this.#drainNo
    this.#draining = true
    const { clock } = this.#o
    const deadline = clock.monotonic() + limitMs
    const coming = [...this.#expected]
    const isEmpty = (): boolean =>
      this.#held.size === 0 && !this.#claimer.isClaiming && !coming.some((id) => this.#expected.has(id))
    for (;;) {
      for (const held of this.#held.values()) held.drain()
      await this.#giveBack([...this.#held.values()].filter((held) => !held.isBusy))
      if (this.#drainNo !== turn || this.#stopped) return false
      if (isEmpty() || clock.monotonic() >= deadline) break
      await sleep(clock, DRAIN_LOOK_MS)
    }
    await this.#giveBack([...this.#held.values()])
    if (this.#claimer.isUnsure) await this.#returnStray()
    return this.#drainNo === turn
  }

  /** Gives back everything, and stops. */
  async drain(limitMs: number): Promise<void> {
    await this.handBack(limitMs).catch((error: unknown) =>
      this.#o.logger.warn('not all was given back', { reason: errorMessage(error) }),
    )
    this.stop('the node is stopping')
  }

  /** Drops everything in memory. The store keeps what was committed. */
  stop(reason: unknown): void {
    this.#stopped = true
    this.#claimer.stop()
    this.#inboxes.stop()
    this.#listening?.cancel()
    for (const held of [...this.#held.values()]) this.#release(held, reason)
    this.#warm.clear()
  }

  // Holder: what held instances ask for.

  monotonic(): number {
    return this.#o.clock.monotonic()
  }

  storeNow(): number {
    return this.#o.storeClock.now()
  }

  newId(): string {
    return this.#o.newId()
  }

  mark(held: HeldInstance): void {
    this.#o.pipeline.mark(held)
  }

  transact<M>(
    work: (tx: UserTransaction) => Promise<M>,
    item: (made: M) => CheckpointItem,
  ): Promise<M & { readonly verdict: CheckpointVerdict; readonly at: number }> {
    return commitWithUser(this.#o, work, item)
  }

  startChild(parent: InstanceIdentity, child: ChildStart): Promise<void> {
    return this.#o.startChild(parent, child)
  }

  endOf(tenant: string, instanceId: string): Promise<Json | undefined> {
    return this.#o.operators.endOf(tenant, instanceId)
  }

  terminateChildren(parent: InstanceIdentity, reason: string | undefined): Promise<void> {
    return this.#o.operators.terminateChildren(parent, reason)
  }

  soon(run: () => void): void {
    this.#o.clock.soon(run)
  }

  handOver(held: HeldInstance, queue: string | undefined): void {
    const { nodeId, store, operators } = this.#o
    const { instanceId } = held.identity
    this.#release(held, 'it is given back')
    store.verbs
      .handOver(nodeId, instanceId, held.claimNo, queue)
      .catch(() => store.agenda.release(nodeId, [instanceId]))
      .then(() => operators.onGivenBack())
      .catch(() => this.#claimer.doubt())
    this.#roomChanged()
  }

  stimulated(held: HeldInstance): void {
    this.#inboxes.want(held)
  }

  waits(held: HeldInstance, dueAt: number): void {
    this.#timers.set(held, dueAt, dueAt - this.storeNow())
  }

  fallsDue(held: HeldInstance, dueAt: number): void {
    this.#deadlines.set(held, dueAt, dueAt - this.storeNow())
  }

  published(tenant: string, eventIds: readonly string[]): void {
    this.#o.onPublished(tenant, eventIds)
  }

  suspended(held: HeldInstance): void {
    const execution = held.execution
    held.trace?.end('suspended')
    this.#forget(held)
    const { rest } = held
    if (execution !== undefined && rest !== undefined) this.#warm.keep({ execution, rest })
    else execution?.dispose('ahead of its journal')
    this.#roomChanged()
  }

  ended(held: HeldInstance, end: Ended, last: () => InstanceState | undefined): void {
    const { status } = end
    held.trace?.end(status)
    this.#forget(held)
    held.execution?.dispose('ended')
    const { metrics } = this.#o
    if (metrics !== undefined) metrics.ended(status, Math.max(0, this.storeNow() - uuidTime(held.identity.instanceId)))
    this.#o.onEnded(held.identity, end, last)
    this.#roomChanged()
  }

  lost(held: HeldInstance): void {
    held.trace?.end('lost')
    this.#o.logger.warn('instance lost to another node', {
      instanceId: held.identity.instanceId,
      claimNo: held.claimNo,
    })
    this.#release(held, 'the claim is gone')
    // Where it is still ours in the store, nobody else could take it while this node lives.
    this.#o.store.agenda.release(this.#o.nodeId, [held.identity.instanceId]).catch(() => this.#claimer.doubt())
    this.#roomChanged()
  }

  // Taking over.

  async #takeOver(claims: readonly Claim[]): Promise<void> {
    if (this.#draining) return this.#returnClaims(claims.map((claim) => claim.instanceId))
    const cold: Claim[] = []
    for (const claim of claims) {
      const warm = claim.crashes <= 1 ? this.#warm.take(claim.instanceId, claim.claimNo) : undefined
      if (warm === undefined) cold.push(claim)
      else {
        const held = this.#hold({ ...warm.rest, claimNo: claim.claimNo, crashes: claim.crashes })
        this.#trace(held)
        warm.execution.attach(held)
        held.begin(warm.execution)
        this.#continue(held, claim, warm.rest.stim)
      }
    }
    if (cold.length === 0) return
    const loaded = await this.#o.store.agenda.load(cold.map((claim) => claim.instanceId))
    const byId = new Map(loaded.map((each) => [each.instanceId, each]))
    // Not waited for: a suspect may take its time, and others must be claimed meanwhile.
    for (const claim of cold) void this.#open(claim, byId.get(claim.instanceId))
  }

  async #open(claim: Claim, loaded: LoadedInstance | undefined): Promise<void> {
    if (loaded === undefined) {
      this.#o.logger.error('claimed an instance that does not exist', { instanceId: claim.instanceId })
      return
    }
    const { snapshotSeq, snapshotAt, facts, openBookmarks, snapshot } = loaded
    const held = this.#hold({
      identity: loaded,
      claimNo: claim.claimNo,
      stim: claim.stim,
      crashes: claim.crashes,
      seq: facts.at(-1)?.seq ?? snapshotSeq,
      bookmarks: openBookmarks.map(({ id, step }) => [id, step] as const),
    })
    if (claim.crashes > this.#o.mostCrashes) {
      held.quarantine(claim.crashes - 1, isPutAside(loaded))
      return
    }
    if (this.#o.traces !== undefined) {
      await this.#o.traces.find(loaded, facts)
      this.#trace(held)
    }
    if (claim.crashes > 1) await this.#probation.enter(held)
    try {
      const heard = claim.stim === 0 ? claim : await this.#revised(claim, loaded)
      if (heard === undefined) {
        this.#release(held, 'it is given back')
        this.#o.operators.onGivenBack()
        return
      }
      const execution = await this.#o.open(loaded, held)
      const shortcut = snapshotAt === undefined ? undefined : { state: snapshot, at: snapshotAt }
      execution.replay(shortcut, facts, claim.claimNo > 1)
      held.begin(execution)
      this.#continue(held, heard, 0)
    } catch (error) {
      if (!(await this.#terminateUnopened(held, claim))) this.#cannotOpen(held, error)
    }
  }

  /** An instance ends on any node, whether or not that could run it. `false`: nobody asked for it. */
  async #terminateUnopened(held: HeldInstance, claim: Claim): Promise<boolean> {
    if (claim.stim === 0 || held.execution !== undefined) return false
    try {
      const [inbox] = await this.#o.store.agenda.inbox([claim.instanceId])
      const order = inbox?.messages.map(orderOf).find((each) => each?.kind === 'terminate')
      if (inbox === undefined || order?.kind !== 'terminate') return false
      if (order.children === true) await this.terminateChildren(held.identity, order.reason)
      held.terminate(inbox, order)
      return true
    } catch {
      return false // the store is away: tried again when it is claimed again
    }
  }

  /**
   * Does what an operator asked for first, if that must be done before anything runs. Other messages wait for it: a paused instance keeps
   * those for later. `undefined`: the claim was given back with it.
   */
  async #revised(claim: Claim, loaded: LoadedInstance): Promise<Claim | undefined> {
    const { agenda } = this.#o.store
    const messages = claim.messages ?? (await agenda.inbox([claim.instanceId]))[0]?.messages ?? []
    const first = messages.find((message) => orderOf(message) !== undefined)
    const order = first && orderOf(first)
    if (first === undefined || order === undefined || !isForNextOwner(order)) return claim
    const prepared = await this.#o.operators.revise(claim, loaded, first, order)
    return prepared && { ...claim, messages: messages.map((each) => (each === first ? prepared : each)) }
  }

  #continue(held: HeldInstance, claim: Claim, seenStim: number): void {
    const { instanceId, stim, messages } = claim
    if (messages !== undefined) held.hear({ instanceId, stim, messages })
    else if (stim !== seenStim) held.expectMessages()
    held.fire(this.storeNow())
  }

  #hold(start: HeldStart): HeldInstance {
    const held = new HeldInstance(start, this)
    this.#held.set(start.identity.instanceId, held)
    return held
  }

  #trace(held: HeldInstance): void {
    held.trace = this.#o.traces?.burst(held.identity, held.claimNo, this.#o.nodeId)
  }

  #cannotOpen(held: HeldInstance, error: unknown): void {
    this.#o.logger.error('cannot run this instance', {
      instanceId: held.identity.instanceId,
      reason: errorMessage(error),
    })
    held.refuse(REFUSED_MS)
  }

  /**
   * An instance that runs beside its waits does not give its claim back, so it would not learn of an event or a lost word of a cancel before
   * it has nothing else to do. All that can be told something are looked after together, a few times a second at most.
   */
  #listenSoon(): void {
    if (this.#listening !== undefined || this.#stopped || this.#held.size === 0) return
    this.#listening = this.#o.clock.schedule(LISTEN_MS, () => {
      this.#listening = undefined
      for (const held of this.#held.values()) if (held.mayHear) held.suspectStimulus()
    })
  }

  /** A part of the room is for what runs already: new ones must not keep resumes and timers out. */
  get #mostNew(): number {
    return this.#o.concurrency - Math.floor(this.#o.concurrency * RESERVED)
  }

  get #isShut(): boolean {
    return this.#cordoned || this.#draining
  }

  #room(): number {
    return Math.min(this.#o.concurrency - this.#activeCount(), this.#o.mostHeld - this.#held.size)
  }

  /** When the store is away what was in hand stays claimed there, and is looked for later. */
  async #giveBack(all: readonly HeldInstance[]): Promise<void> {
    for (const held of all) this.#release(held, 'it is given back')
    await this.#returnClaims(all.map((held) => held.identity.instanceId)).catch(() => this.#claimer.doubt())
  }

  async #returnClaims(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    await this.#o.store.agenda.release(this.#o.nodeId, ids)
    this.#o.operators.onGivenBack()
  }

  /** Claims in the store that nobody here knows of. */
  async #returnStray(): Promise<void> {
    const claims = await this.#o.store.agenda.claims(this.#o.nodeId)
    const ids = claims.map(({ instanceId }) => instanceId)
    await this.#returnClaims(ids.filter((id) => !this.#held.has(id) && !this.#expected.has(id)))
    this.#claimer.trust()
  }

  #activeCount(): number {
    return this.#held.size - this.#timers.size
  }

  #roomChanged(): void {
    if (this.#activeCount() <= this.#o.concurrency / 2) this.#claimer.roomMade()
  }

  #release(held: HeldInstance, reason: unknown): void {
    this.#forget(held)
    held.drop(reason)
  }

  #forget(held: HeldInstance): void {
    held.trace?.end('given back')
    this.#timers.cancel(held)
    this.#deadlines.cancel(held)
    this.#inboxes.forget(held)
    if (this.#held.get(held.identity.instanceId) === held) this.#held.delete(held.identity.instanceId)
    this.#probation.leave(held)
  }
}
