/**
 * Claims due instances, runs them, and gives them back. Everything it does is driven by three things: a poll that adapts to
 * the load, a wake-up (from this process or another) that makes the next poll come at once, and timers of instances in hand.
 * Timers due soon are claimed ahead and fired from memory, on time.
 */
import { type Clock, errorCode, errorMessage, type Json, type Logger, sleep, type Timer } from '@lockstep/base'
import type { CommitPipeline } from '../commit/commit-pipeline.ts'
import { commitWithUser } from '../commit/commit-with-user.ts'
import type { Fact, Failure } from '../journal/fact.ts'
import type { Claim, LoadedInstance } from '../store/agenda-store.ts'
import type { CheckpointItem, CheckpointVerdict } from '../store/commit-store.ts'
import type { EngineStore } from '../store/engine-store.ts'
import type { UserTransaction } from '../store/transaction-store.ts'
import { DueTimers } from './due-timers.ts'
import type { ChildStart, Execution, ExecutionHost, InstanceIdentity } from './execution.ts'
import { HeldInstance, type HeldStart, type Holder } from './held-instance.ts'
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
  readonly onPublished: (tenant: string, eventIds: readonly string[]) => void
  readonly onEnded: (identity: InstanceIdentity, status: string, output: Json, error: Failure | undefined) => void
  /** Instances whose code runs at once. */
  readonly concurrency: number
  /** Claims of this node in all; burial frees them in one go. */
  readonly mostHeld?: number
  /** How far ahead timers are claimed; must be longer than the idle poll. */
  readonly aheadMs?: number
  readonly idlePollMs?: number
  readonly warmLimit?: number
  /** Claims in a row without a clean commit after which an instance is quarantined instead of run. */
  readonly mostCrashes?: number
}

const CLAIM_BATCH = 200
/** What is only due later is taken in small portions with a pause between them: what is due now must not wait behind it. */
const AHEAD_BATCH = 50
const AHEAD_PAUSE_MS = 10
/** Nearer than this is as good as due. */
const AHEAD_MS = 250
/** Claims that look past dead index entries before the next one that looks at everything. */
const FLOORED_CLAIMS = 20
const FLOOR_MARGIN_MS = 200
const DRAIN_LOOK_MS = 5
/** A suspect that runs this long without harm does not hold up the next one. */
const LONGEST_PROBATION_MS = 5_000
/** How long an instance that this node cannot run is left for others. */
const REFUSED_MS = 5_000

export class Worker implements Holder {
  readonly #o: Required<WorkerOptions>
  readonly #held = new Map<string, HeldInstance>()
  readonly #timers: DueTimers<HeldInstance>
  readonly #warm: WarmExecutions
  readonly #stimulated = new Set<HeldInstance>()
  readonly #expected = new Set<string>()
  #suspects: HeldInstance[] = []
  #poll: Timer | undefined
  #claiming = false
  #again = false
  #readingInbox = false
  #floorMs: number | undefined
  #flooredClaims = 0
  #starved = false
  #aheadOnly = false
  #unsure = false
  #draining = false
  #stopped = false

  constructor(options: WorkerOptions) {
    this.#o = { mostHeld: 5_000, aheadMs: 2_500, idlePollMs: 2_000, warmLimit: 1_000, mostCrashes: 3, ...options }
    this.#warm = new WarmExecutions(this.#o.warmLimit)
    this.#timers = new DueTimers(this.#o.clock, (held) => held.fire(this.storeNow()))
  }

  get heldCount(): number {
    return this.#held.size
  }

  get holdMs(): number {
    return this.#o.aheadMs
  }

  /** Whether one more start may begin here instead of waiting for its turn in the agenda. */
  get hasRoom(): boolean {
    if (this.#draining || this.#stopped) return false
    const coming = this.#expected.size
    return this.#held.size + coming < this.#o.mostHeld && this.#activeCount() + coming < this.#o.concurrency
  }

  run(): void {
    this.wake()
  }

  /** There may be something to claim. */
  wake(): void {
    if (this.#stopped || this.#draining) return
    this.#floorMs = undefined
    if (this.#claiming) this.#again = true
    else void this.#claim()
  }

  /** Another process may have sent something to an instance in hand. */
  suspectStimuli(): void {
    for (const held of this.#held.values()) held.suspectStimulus()
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
  async adopt(start: HeldStart, startedAt: number, started: unknown): Promise<void> {
    const held = this.#hold(start)
    try {
      const execution = await this.#o.open(start.identity, held)
      execution.replay(undefined, [{ seq: 1, kind: 'started', data: started, at: startedAt }])
      held.begin(execution)
    } catch (error) {
      this.#cannotOpen(held, error)
    }
  }

  /** Takes nothing more; settles when no effect runs and all is written, or `limitMs` is over. What still runs then is dropped, as after a crash. */
  async drain(limitMs: number): Promise<void> {
    this.#draining = true
    this.#poll?.cancel()
    for (const held of this.#held.values()) held.drain()
    const deadline = this.#o.clock.monotonic() + limitMs
    while ([...this.#held.values()].some((held) => held.isBusy) && this.#o.clock.monotonic() < deadline) {
      await sleep(this.#o.clock, DRAIN_LOOK_MS)
    }
    this.stop('the node is stopping')
  }

  /** Drops everything in memory. The store keeps what was committed. */
  stop(reason: unknown): void {
    this.#stopped = true
    this.#poll?.cancel()
    for (const held of [...this.#held.values()]) this.#release(held, reason)
    this.#warm.clear()
  }

  // Holder: what held instances ask for.

  storeNow(): number {
    return this.#o.storeClock.now()
  }

  newId(): string {
    return this.#o.newId()
  }

  mark(held: HeldInstance): void {
    this.#o.pipeline.mark(held)
  }

  transact<M extends { readonly facts: readonly Fact[] }>(
    work: (tx: UserTransaction) => Promise<M>,
    item: (made: M) => CheckpointItem,
  ): Promise<M & { readonly verdict: CheckpointVerdict; readonly at: number }> {
    const { store, pipeline, clock, nodeId } = this.#o
    return commitWithUser({ store, pipeline, clock, nodeId }, work, item)
  }

  startChild(parent: InstanceIdentity, child: ChildStart): Promise<void> {
    return this.#o.startChild(parent, child)
  }

  stimulated(held: HeldInstance): void {
    this.#stimulated.add(held)
    if (!this.#readingInbox) void this.#readInboxes()
  }

  waits(held: HeldInstance, dueAt: number): void {
    this.#timers.set(held, dueAt, dueAt - this.storeNow())
  }

  published(tenant: string, eventIds: readonly string[]): void {
    this.#o.onPublished(tenant, eventIds)
  }

  suspended(held: HeldInstance): void {
    const execution = held.execution
    this.#forget(held)
    const { rest } = held
    if (execution !== undefined && rest !== undefined) this.#warm.keep({ execution, rest })
    else execution?.dispose('ahead of its journal')
    this.#roomChanged()
  }

  ended(held: HeldInstance, status: string, output: Json, error: Failure | undefined): void {
    this.#forget(held)
    held.execution?.dispose('ended')
    this.#o.onEnded(held.identity, status, output, error)
    this.#roomChanged()
  }

  lost(held: HeldInstance): void {
    this.#o.logger.warn('instance lost to another node', {
      instanceId: held.identity.instanceId,
      claimNo: held.claimNo,
    })
    this.#release(held, 'the claim is gone')
    // Where it is still ours in the store, nobody else could take it while this node lives.
    this.#o.store.agenda.release(this.#o.nodeId, [held.identity.instanceId]).catch(() => {
      this.#unsure = true
    })
    this.#roomChanged()
  }

  // Claiming.

  async #claim(): Promise<void> {
    this.#claiming = true
    this.#poll?.cancel()
    let full = false
    try {
      do {
        this.#again = false
        full = await this.#claimOnce()
        if (full && this.#aheadOnly) await sleep(this.#o.clock, AHEAD_PAUSE_MS)
      } while ((full || this.#again) && !this.#stopped && !this.#draining)
    } catch (error) {
      this.#o.logger.warn('could not claim', { code: errorCode(error), reason: errorMessage(error) })
    } finally {
      this.#claiming = false
      if (!this.#stopped && !this.#draining) this.#poll = this.#o.clock.schedule(this.#o.idlePollMs, () => this.wake())
    }
  }

  /** `true`: there is probably more, and room for it. */
  async #claimOnce(): Promise<boolean> {
    const most = this.#aheadOnly ? AHEAD_BATCH : CLAIM_BATCH
    const limit = Math.min(most, this.#o.concurrency - this.#activeCount(), this.#o.mostHeld - this.#held.size)
    const queues = this.#o.queues()
    if (queues.length === 0) return false
    if (limit <= 0) {
      this.#starved = true
      return false
    }
    if (this.#unsure) await this.#recoverClaims()
    const floored = this.#floorMs !== undefined
    // Whatever fails from here on may leave claims in the store that nobody here knows of.
    this.#unsure = true
    const claims = await this.#o.store.agenda.claim({
      nodeId: this.#o.nodeId,
      queues,
      limit,
      aheadMs: this.#o.aheadMs,
      floorMs: this.#floorMs,
    })
    const full = claims.length >= limit
    this.#aheadOnly = claims.length > 0 && claims.every((claim) => claim.dueInMs > AHEAD_MS)
    this.#moveFloor(claims, full)
    await this.#takeOver(claims)
    this.#unsure = false
    // A look above the floor that found little says nothing about what lies below it.
    return full || floored
  }

  /** Takes over what an earlier claim got although its answer, or the load after it, was lost. */
  async #recoverClaims(): Promise<void> {
    const claims = await this.#o.store.agenda.claims(this.#o.nodeId)
    await this.#takeOver(
      claims.filter(({ instanceId }) => !this.#held.has(instanceId) && !this.#expected.has(instanceId)),
    )
  }

  #moveFloor(claims: readonly Claim[], full: boolean): void {
    this.#flooredClaims += 1
    if (!full || this.#flooredClaims >= FLOORED_CLAIMS) {
      this.#floorMs = undefined
      this.#flooredClaims = 0
    } else this.#floorMs = Math.max(0, ...claims.map((claim) => -claim.dueInMs)) + FLOOR_MARGIN_MS
  }

  async #takeOver(claims: readonly Claim[]): Promise<void> {
    const cold: Claim[] = []
    for (const claim of claims) {
      const warm = claim.crashes <= 1 ? this.#warm.take(claim.instanceId, claim.claimNo) : undefined
      if (warm === undefined) cold.push(claim)
      else {
        const held = this.#hold({ ...warm.rest, claimNo: claim.claimNo, crashes: claim.crashes })
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
      bookmarks: new Map(openBookmarks.map((bookmark) => [bookmark.id, bookmark.step])),
    })
    if (claim.crashes > this.#o.mostCrashes) {
      held.quarantine(claim.crashes - 1)
      return
    }
    if (claim.crashes > 1) await this.#probation(held)
    try {
      const execution = await this.#o.open(loaded, held)
      execution.replay(snapshotAt === undefined ? undefined : { state: snapshot, at: snapshotAt }, facts)
      held.begin(execution)
      this.#continue(held, claim, 0)
    } catch (error) {
      this.#cannotOpen(held, error)
    }
  }

  /** Instances whose last owner died are run one at a time: whoever brings this node down is then alone under suspicion. */
  async #probation(held: HeldInstance): Promise<void> {
    const before = this.#suspects.at(-1)
    this.#suspects.push(held)
    if (before !== undefined) await Promise.race([before.proven, sleep(this.#o.clock, LONGEST_PROBATION_MS)])
  }

  #continue(held: HeldInstance, claim: Claim, seenStim: number): void {
    const { instanceId, stim, messages } = claim
    if (messages !== undefined) held.hear({ instanceId, stim, messages })
    else if (stim !== seenStim) held.suspectStimulus()
    held.fire(this.storeNow())
  }

  async #readInboxes(): Promise<void> {
    this.#readingInbox = true
    try {
      while (this.#stimulated.size > 0 && !this.#stopped) {
        const batch = [...this.#stimulated].slice(0, CLAIM_BATCH)
        const inboxes = await this.#o.store.agenda.inbox(batch.map((held) => held.identity.instanceId))
        for (const held of batch) this.#stimulated.delete(held)
        const byId = new Map(inboxes.map((inbox) => [inbox.instanceId, inbox]))
        for (const held of batch) {
          const inbox = byId.get(held.identity.instanceId)
          if (inbox === undefined) this.lost(held)
          else held.hear(inbox)
        }
      }
    } catch (error) {
      this.#o.logger.warn('could not read the inbox', { code: errorCode(error), reason: errorMessage(error) })
      this.#o.clock.schedule(200, () => (this.#readingInbox ? undefined : void this.#readInboxes()))
    } finally {
      this.#readingInbox = false
    }
  }

  #hold(start: HeldStart): HeldInstance {
    const held = new HeldInstance(start, this)
    this.#held.set(start.identity.instanceId, held)
    return held
  }

  #cannotOpen(held: HeldInstance, error: unknown): void {
    this.#o.logger.error('cannot run this instance', {
      instanceId: held.identity.instanceId,
      reason: errorMessage(error),
    })
    held.refuse(REFUSED_MS)
  }

  #activeCount(): number {
    return this.#held.size - this.#timers.size
  }

  /** There was more to claim than room for it; now there is room. */
  #roomChanged(): void {
    if (!this.#starved || this.#activeCount() > this.#o.concurrency / 2) return
    this.#starved = false
    this.wake()
  }

  #release(held: HeldInstance, reason: unknown): void {
    this.#forget(held)
    held.drop(reason)
  }

  #forget(held: HeldInstance): void {
    this.#timers.cancel(held)
    this.#stimulated.delete(held)
    if (this.#held.get(held.identity.instanceId) === held) this.#held.delete(held.identity.instanceId)
    this.#suspects = this.#suspects.filter((each) => each !== held)
  }
}
