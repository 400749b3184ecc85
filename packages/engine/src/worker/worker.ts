/**
 * Runs instances and gives them back: those it starts, and those that its claimer brings. It is driven by claims, by wake-ups from
 * this process or another, and by timers of instances in hand.
 */
import { errorMessage, type Json, PassingMap, sleep, type Timer, uuidTime } from '@lockstep/base'
import type { InstanceState } from '../cache/instance-states.ts'
import { commitWithUser } from '../commit/commit-with-user.ts'
import type { StartedFact } from '../journal/fact.ts'
import type { EngineMetrics } from '../metrics/engine-metrics.ts'
import type { Claim } from '../store/agenda-store.ts'
import type { CheckpointItem, CheckpointVerdict } from '../store/commit-store.ts'
import type { Taker } from '../store/stimulus-store.ts'
import type { UserTransaction } from '../store/transaction-store.ts'
import { Claimer } from './claimer.ts'
import { DueTimers } from './due-timers.ts'
import type { ChildStart, Ended, InstanceIdentity } from './execution.ts'
import { HeldInstance } from './held-instance.ts'
import type { HeldStart, Holder } from './holder.ts'
import { InboxReader } from './inbox-reader.ts'
import { Probation } from './probation.ts'
import { RunningCode } from './running-code.ts'
import { TakeOver, type TakeOverSite } from './take-over.ts'
import { WarmExecutions } from './warm-executions.ts'
import type { WorkerOptions } from './worker-options.ts'

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
  readonly #running: RunningCode
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
    const defaults = { claims: true, roomElsewhere: () => 0, mostHeld: 5_000, warmLimit: 1_000, mostCrashes: 3 }
    this.#o = { ...defaults, metrics: undefined, traces: undefined, ...options }
    this.#cordoned = !this.#o.claims
    const { clock, store, logger } = this.#o
    const { agenda } = store
    this.#warm = new WarmExecutions(this.#o.warmLimit)
    const fire = (held: HeldInstance): void => {
      held.urgent = true
      held.fire(this.storeNow())
    }
    this.#timers = new DueTimers(clock, fire)
    this.#deadlines = new DueTimers(clock, fire)
    this.#probation = new Probation(clock)
    this.#inboxes = new InboxReader({ agenda, clock, logger })
    this.#running = new RunningCode(clock, () => this.#held.values())
    const takeOver = new TakeOver(this.#o, this.#warm, this.#probation, this.#site())
    this.#claimer = new Claimer({
      ...this.#o,
      agenda,
      room: () => (this.#isShut ? 0 : this.#room()),
      newRoom: () => this.#mostNew - this.#activeCount(),
      isKnown: (id) => this.#held.has(id) || this.#expected.has(id),
      onLook: () => this.#listenSoon(),
      takeOver: (claims) => takeOver.take(claims),
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

  /** What rests in memory is opened anew when it goes on: it was compiled with what is no more. */
  coolDown(): void {
    this.#warm.clear()
  }

  /** There may be something to claim. */
  wake(): void {
    this.#claimer.wake()
  }

  /** The store may hold claims of this node that are in nobody's hand. */
  lookForClaims(): void {
    this.#claimer.doubt()
    this.wake()
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
    return new Expected(this.#expected, instanceId)
  }

  /** Takes an instance that this node has just started. */
  async adopt(start: HeldStart, startedAt: number, started: Omit<StartedFact, 'kind'>): Promise<void> {
    if (this.#stopped) return // whoever buried this node has freed it
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
    for (const held of this.#held.values()) held.undrain()
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
      this.#held.size === 0 && !this.#claimer.isTaking && !coming.some((id) => this.#expected.has(id))
    const isOff = (): boolean => this.#drainNo !== turn || this.#stopped
    for (;;) {
      for (const held of this.#held.values()) held.drain()
      // What has just ended, or just become durable, is followed by what is not recorded or begun yet.
      await new Promise<void>((resolve) => clock.soon(resolve))
      if (isOff()) return false
      await this.#giveBack([...this.#held.values()].filter((held) => !held.isBusy))
      if (isOff()) return false
      if (isEmpty() || clock.monotonic() >= deadline) break
      await sleep(clock, DRAIN_LOOK_MS)
      if (isOff()) return false
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
    this.#running.stop()
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

  beganToRun(): void {
    this.#running.began()
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

  fired(held: HeldInstance, lateMs: number): void {
    this.metrics?.timerFired(lateMs)
    const { instanceId } = held.identity
    this.#o.logger.debug('timer fired', { code: 'TIMER_FIRED', instanceId, lateMs: Math.round(lateMs) })
  }

  moved(held: HeldInstance): void {
    this.#o.onMoved(held.identity.instanceId)
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
    const { identity } = held
    if (metrics !== undefined)
      metrics.ended(status, Math.max(0, this.storeNow() - uuidTime(identity.instanceId)), identity)
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

  // Taking and giving back.

  #site(): TakeOverSite {
    return {
      isStopped: () => this.#stopped,
      isDraining: () => this.#draining,
      hold: (start) => this.#hold(start),
      trace: (held) => this.#trace(held),
      release: (held, reason) => this.#release(held, reason),
      cannotOpen: (held, error) => this.#cannotOpen(held, error),
      returnClaims: (ids) => this.#returnClaims(ids),
    }
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

/** A class, not an object around a closure: V8 gives each such object a shape of its own, and every start makes one. */
class Expected implements Disposable {
  readonly #among: Set<string>
  readonly #instanceId: string

  constructor(among: Set<string>, instanceId: string) {
    this.#among = among
    this.#instanceId = instanceId
  }

  [Symbol.dispose](): void {
    this.#among.delete(this.#instanceId)
  }
}
