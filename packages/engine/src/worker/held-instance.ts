/**
 * One claimed instance on its node: gathers what its execution records, hands it to the pipeline one item at a time, and
 * decides with each item what becomes of the claim. The store may answer three things: written, stimulated (something came
 * that the decision had not heard: nothing of the item was written, the inbox is read, the item is built anew) or lost.
 */
import { type Deferred, deferred, errorMessage, type Json, LazyAbort } from '@lockstep/base'
import type { InstanceState } from '../cache/instance-states.ts'
import type { CheckpointSource } from '../commit/commit-pipeline.ts'
import { type Birth, lastView } from '../instance/last-view.ts'
import type { EndStatus, Failure } from '../journal/fact.ts'
import type { Inbox, InboxMessage } from '../store/agenda-store.ts'
import type { CheckpointItem, CheckpointVerdict, Disposition, NewIncident } from '../store/commit-store.ts'
import type { BurstTrace, StepAbout } from '../trace/burst-trace.ts'
import { cancellationOf } from './cancellation.ts'
import { addEnd, checkpointItem, incidentOf, isConflict, restOf, type Standing, withdrawEnd } from './checkpoint.ts'
import { type Order, orderOf, type TerminateOrder } from './control-messages.ts'
import type {
  Change,
  ChildStart,
  Ended,
  Execution,
  ExecutionHost,
  InstanceIdentity,
  Posture,
  Tentative,
  TransactedChange,
  TransactedWork,
} from './execution.ts'
import type { HeldStart, Holder } from './holder.ts'
import { OperatorOrders, type OrderSite } from './operator-orders.ts'
import type { PendingChange } from './pending-change.ts'
import { type Flight, Unwritten } from './unwritten.ts'
import { type TransactionSite, UserTransactions } from './user-transactions.ts'

const ACTIVE: Posture = { kind: 'active' }
const HOLD: Disposition = { kind: 'hold' }
const RESTING: Posture = { kind: 'waiting', dueAt: undefined, dueInMs: undefined }

export class HeldInstance implements CheckpointSource, ExecutionHost, TransactionSite, OrderSite {
  readonly identity: InstanceIdentity
  readonly abort = new LazyAbort()
  readonly #holder: Holder<HeldInstance>
  readonly #standing: Standing
  readonly #unwritten: Unwritten
  readonly #orders: OperatorOrders
  readonly #proven: Deferred<void> = deferred()
  #transactions: UserTransactions | undefined
  #execution: Execution | undefined
  /** It was suspended or its timer has fired: it was waited for longer than a new one. */
  urgent: boolean
  /** Absent: nobody traces. */
  trace: BurstTrace | undefined
  #heardAll = true
  /** Messages lie there that came before the claim: nothing may be decided without them, for the count of them is known already. */
  #isUnheard = false
  #suspected = false
  #forcedEnd: { readonly status: EndStatus; readonly error: Failure | undefined } | undefined
  #parked: (Disposition & { kind: 'suspend' }) | undefined
  #gone = false
  /** Present while the node drains; settles when that was called off. */
  #drain: Deferred<void> | undefined
  #effectCount = 0
  /** Timers up to this moment have fired (store's clock). */
  #firedUpTo = Number.NEGATIVE_INFINITY
  /** The status that readers see, where it was written while in hand. */
  #shown: string | undefined
  /** Known while it was never out of hand and nothing happened to it that only the store can tell. */
  #birth: Birth | undefined

  constructor({ identity, claimNo, stim, crashes, seq, bookmarks }: HeldStart, holder: Holder<HeldInstance>) {
    this.identity = identity
    this.#standing = { claimNo, stim, crashes, seq }
    this.#unwritten = new Unwritten(bookmarks)
    this.#holder = holder
    this.#orders = new OperatorOrders(this, this.#unwritten, holder)
    this.urgent = claimNo > 1
  }

  get claimNo(): number {
    return this.#standing.claimNo
  }

  get execution(): Execution | undefined {
    return this.#execution
  }

  get isSuspect(): boolean {
    return this.#standing.crashes > 1
  }

  /** Whether something runs or is being written that a stopping node should wait for. */
  get isBusy(): boolean {
    return this.#effectCount > 0 || !this.#unwritten.isIdle
  }

  /** Code of the user runs at this moment. */
  get runs(): boolean {
    return this.#effectCount > 0
  }

  /** Whether a message could reach it: it has bookmarks open, or runs something that can be cancelled. */
  get mayHear(): boolean {
    return this.#unwritten.bookmarks.size > 0 || this.isBusy || this.isStill || this.#execution?.holdsOn === true
  }

  /** Settles when the instance has come past the point where its last owner died, or is out of hand. */
  get proven(): Promise<void> {
    return this.#proven.promise
  }

  /** What a later claim by this node, with nobody in between, can go on from. */
  get rest(): HeldStart | undefined {
    if (!this.#unwritten.isIdle) return undefined // its execution is ahead of the journal
    if (this.isStill) return undefined // parts of it wait for what will not come
    return { ...this.#standing, identity: this.identity, crashes: 0, bookmarks: this.#unwritten.bookmarks }
  }

  /** It was started by this node and has been in hand since. */
  born(birth: Birth): void {
    this.#birth = birth
  }

  begin(execution: Execution): void {
    if (this.#gone) return execution.dispose('out of hand') // given back, or its node was buried, while it was opened
    this.#execution = execution
    this.#orders.begin(execution)
    this.changed()
    if (this.#suspected) this.suspectStimulus()
  }

  /** Puts the instance aside for a person to look at: it took its owners down with it. */
  quarantine(crashCount: number, isKnown: boolean): void {
    if (!isKnown) {
      const message = `It was running on ${crashCount} processes in a row when they died`
      this.#unwritten.pending.addFact({ kind: 'quarantined', crashCount })
      this.#unwritten.pending.incidents.push(this.#incidentOf({ code: 'QUARANTINED', message }))
    }
    this.#parked = { kind: 'suspend', dueAt: undefined, dueInMs: undefined, status: 'quarantined' }
    this.changed()
  }

  /** Gives the instance back unworked: this node cannot run it, another one may. */
  refuse(retryInMs: number): void {
    this.#parked = { kind: 'suspend', dueAt: undefined, dueInMs: retryInMs, status: 'suspended' }
    this.changed()
  }

  /** No new effect starts here; those that run may finish. */
  drain(): void {
    this.#drain ??= deferred()
  }

  /** The drain was called off: it goes on where it stands. */
  undrain(): void {
    this.#drain?.resolve()
    this.#drain = undefined
  }

  get isDraining(): boolean {
    return this.#drain !== undefined
  }

  // What the execution asks for.

  record(change: Change): void {
    if (this.#gone) return
    const { metrics } = this.#holder
    if (metrics !== undefined && change.facts !== undefined)
      for (const { kind } of change.facts) if (kind === 'failed' || kind === 'retrying') metrics.stepFailed()
    if (this.trace !== undefined && change.facts !== undefined) this.trace.recorded(change.facts)
    if (this.#unwritten.record(change)) this.#holder.mark(this)
  }

  propose(tentative: Tentative): void {
    if (this.#gone) return
    this.#unwritten.propose(tentative)
    this.#holder.mark(this)
  }

  durable(): Promise<void> {
    if (this.#gone || this.isStill) return new Promise(() => {})
    return this.#drain === undefined ? this.#unwritten.durable() : this.#drain.promise.then(() => this.durable())
  }

  async effect<T>(run: () => Promise<T>, about?: StepAbout): Promise<T> {
    this.#effectCount += 1
    this.#holder.beganToRun()
    const { metrics } = this.#holder
    const began = metrics === undefined ? 0 : this.#holder.monotonic()
    try {
      return await (this.trace === undefined ? run() : this.trace.step(about, run))
    } finally {
      metrics?.stepped(this.#holder.monotonic() - began)
      this.#effectCount -= 1
      if (this.isStill) this.#orders.settleSoon()
    }
  }

  transact<T>(work: TransactedWork<T>): Promise<T> {
    this.#transactions ??= new UserTransactions(this, this.#standing, this.#unwritten, this.#holder)
    return this.#transactions.run(work)
  }

  startChild(child: ChildStart): Promise<void> {
    return this.#orders.startChild(child)
  }

  endOf(instanceId: string): Promise<Json | undefined> {
    return this.#holder.endOf(this.identity.tenant, instanceId)
  }

  readAnew(): void {
    this.#orders.beStill({ queue: undefined })
  }

  get isStill(): boolean {
    return this.#orders.isStill
  }

  storeNow(): number {
    return this.#holder.storeNow()
  }

  newId(): string {
    return this.#holder.newId()
  }

  changed(): void {
    if (!this.#gone) this.#holder.mark(this)
  }

  get isEnding(): boolean {
    return this.#forcedEnd !== undefined
  }

  // What a transaction of the user's asks for.

  get isOver(): boolean {
    return this.#gone || this.#forcedEnd !== undefined
  }

  transacted({ facts, publishes = [] }: TransactedChange): void {
    this.#wrote(facts.length)
    this.#tellPublished(publishes)
  }

  lost(): void {
    this.#holder.lost(this)
  }

  // What the worker tells.

  /** Timers that are due by now. */
  fire(now: number): void {
    if (this.isOver || this.isStill) return
    const dueAts = this.#execution?.fire(now) ?? []
    // One that is still open after it was due, until what follows is durable, has fired all the same.
    for (const dueAt of dueAts) if (dueAt > this.#firedUpTo) this.#holder.fired(this, now - dueAt)
    if (dueAts.length > 0) this.#firedUpTo = now
    this.changed()
  }

  /** Another process said that there may be messages. */
  suspectStimulus(): void {
    if (this.#gone || !this.#heardAll) return
    if (this.#execution === undefined) {
      this.#suspected = true // nobody is there yet to be told of anything
      return
    }
    this.#heardAll = false
    this.#holder.stimulated(this)
  }

  /** There are messages that the claim did not bring along. */
  expectMessages(): void {
    this.#isUnheard = true
    this.suspectStimulus()
  }

  /** `undefined`: it has no place on the agenda. */
  hear(inbox: Inbox | undefined): void {
    if (this.#gone) return
    this.#heardAll = true
    this.#isUnheard = false
    const { flight } = this.#unwritten
    // The claim is being given back: either that is refused and the inbox read again, or the next owner reads it.
    if (flight !== undefined && flight.then.kind !== 'hold') return
    if (inbox === undefined) return this.#holder.lost(this)
    const wasCalled = inbox.stim !== this.#standing.stim
    this.#standing.stim = inbox.stim
    // It is given back unopened: what it was sent is for whoever can open it.
    if (this.#execution === undefined) return this.changed()
    if (inbox.messages.length > 0) this.#unwritten.withdrawTentative()
    const stood = this.#orders.stands
    this.#hearAll(inbox.messages)
    // What it kept while it stood is for it now.
    if (stood !== undefined && this.#orders.stands === undefined) this.#hearAll(inbox.messages)
    // It ends now: what it kept for later goes with it.
    if (this.#forcedEnd !== undefined) for (const { id } of inbox.messages) this.#unwritten.consume(id)
    this.#unwritten.heard(inbox.messages)
    if (wasCalled && !this.isOver) this.#execution?.reconsider()
    this.changed()
  }

  #hearAll(messages: readonly InboxMessage[]): void {
    for (const message of messages) {
      if (this.#orders.yields !== undefined) return // in order: what comes after is for the next owner too
      const order = orderOf(message)
      if (order !== undefined && this.#orders.isForLater(order)) continue
      if (order === undefined && message.kind !== 'cancel' && this.#orders.stands !== undefined) continue
      if (this.#unwritten.consume(message.id)) this.#deliver(message, order)
    }
  }

  /** Ends the instance whatever its execution is doing; running code is told by the signal. */
  endAs(status: EndStatus, error: Failure | undefined, reason: unknown): void {
    if (this.isOver) return
    this.#forcedEnd = { status, error }
    this.#unwritten.withdrawTentative()
    this.abort.abort(reason)
    this.#execution?.dispose(reason)
    this.changed()
  }

  /** Forgets the instance: it belongs to somebody else, or the node is going. Nothing recorded is written any more. */
  drop(reason: unknown): void {
    if (this.#gone) return
    this.#gone = true
    this.#unwritten.abandon()
    this.#proven.resolve()
    this.abort.abort(reason)
    this.#execution?.dispose(reason)
  }

  #deliver(message: InboxMessage, order: Order | undefined): void {
    if (message.bookmarkId !== undefined) this.#unwritten.bookmarks.delete(message.bookmarkId)
    if (order !== undefined) return this.#orders.operate(order)
    if (message.kind === 'cancel' && this.#orders.stands === 'paused') this.#orders.operate({ kind: 'continue' })
    if (this.#forcedEnd !== undefined) return
    if (message.kind === 'cancel') this.#cancel(message.payload)
    else this.#execution?.deliver(message)
  }

  #cancel(payload: unknown): void {
    this.#execution?.cancel(cancellationOf(payload))
    this.#orders.cancelled()
  }

  /** Ends it unopened: this node could not run it, and need not. */
  terminate({ stim, messages }: Inbox, order: TerminateOrder): void {
    this.#standing.stim = stim
    for (const { id } of messages) this.#unwritten.consume(id)
    this.#orders.terminate(order)
  }

  // What the pipeline asks for.

  take(): CheckpointItem | undefined {
    const unwritten = this.#unwritten
    if (unwritten.flight !== undefined || this.#gone || this.#isUnheard || this.#transactions?.isOpen) return undefined
    if (this.#parked !== undefined)
      return this.#send(
        unwritten.takePending(),
        { kind: 'waiting', dueAt: undefined, dueInMs: undefined },
        this.#parked,
      )
    if (this.#execution === undefined && this.#forcedEnd === undefined) return undefined
    if (this.isStill && this.#forcedEnd === undefined) return this.#takeStill()
    const { isEmpty } = unwritten.pending
    const tentative = isEmpty && this.#forcedEnd === undefined ? unwritten.tentative : undefined
    if (tentative !== undefined) return this.#send(unwritten.takeTentative(tentative), ACTIVE, HOLD, tentative)
    const posture = this.#posture()
    const then = this.#disposition(posture)
    if (then.kind === 'hold' && isEmpty) return undefined
    const change = unwritten.takePending()
    if (posture.kind === 'ended')
      addEnd(change, posture, unwritten.bookmarks.keys(), (error) => this.#incidentOf(error))
    return this.#send(change, posture, then)
  }

  /** Writes what is left to write, and rests when nothing runs any more. */
  #takeStill(): CheckpointItem | undefined {
    const unwritten = this.#unwritten
    const { yields } = this.#orders
    const runs = this.#effectCount > 0 || !this.#heardAll || this.#orders.isUnsettled
    if (runs || yields !== undefined) {
      if (!unwritten.pending.isEmpty) return this.#send(unwritten.takePending(), ACTIVE, HOLD)
      if (!runs && yields !== undefined) this.#holder.handOver(this, yields.queue)
      return undefined
    }
    return this.#send(unwritten.takePending(), RESTING, this.#orders.rest)
  }

  settle(verdict: CheckpointVerdict, at: number): void {
    this.trace?.landed(verdict.kind)
    const flight = this.#unwritten.land()
    if (flight === undefined || this.#gone) return
    if (verdict.kind === 'lost') this.#holder.lost(this)
    else if (verdict.kind === 'stimulated') this.#refused(flight)
    else this.#written(flight, at)
  }

  /** The store cannot hold what the instance wants to write: that ends it, with the reason, and nothing else. */
  fail(error: unknown): void {
    const flight = this.#unwritten.land()
    if (flight === undefined || this.#gone) return
    // Where not even its end can be written somebody else may try, and after a few of them a person will.
    if (isConflict(error) || this.#forcedEnd !== undefined) return this.#holder.lost(this)
    this.#unwritten.replaceBy(flight.change.consumes)
    const message = `The store refused what this step produced: ${errorMessage(error)}`
    this.endAs('faulted', { code: 'NOT_WRITABLE', message }, error)
  }

  #posture(): Posture {
    if (this.#forcedEnd !== undefined) return { kind: 'ended', output: null, ...this.#forcedEnd }
    return this.#execution?.posture() ?? ACTIVE
  }

  #disposition(posture: Posture): Disposition {
    if (posture.kind === 'ended') return { kind: 'end', status: posture.status }
    if (posture.kind === 'active') {
      if (posture.dueAt !== undefined) this.#holder.fallsDue(this, posture.dueAt)
      return this.#hold(posture)
    }
    if (!this.#heardAll || this.#unwritten.tentative !== undefined) return this.#hold(posture)
    const now = this.#holder.storeNow()
    const rest = restOf(posture, now, this.#holder.holdMs)
    if (typeof rest !== 'number') return rest
    this.#holder.waits(this, now + rest)
    return this.#hold(posture)
  }

  /** Readers are told once that it is undone; when it runs they can see for themselves. */
  #hold({ status }: Posture): Disposition {
    return status === undefined || status === this.#shown ? HOLD : { kind: 'hold', status }
  }

  #send(change: PendingChange, posture: Posture, then: Disposition, tentative?: Tentative): CheckpointItem {
    this.#unwritten.send(change, posture, then, tentative)
    this.trace?.sent(change.facts.length, then.kind)
    const snapshot = then.kind === 'suspend' ? this.#execution?.snapshot() : undefined
    return checkpointItem(this.identity, this.#standing, change, posture, then, snapshot)
  }

  #written(flight: Flight, at: number): void {
    const { change, posture, then, tentative } = flight
    this.#wrote(change.facts.length)
    if (change.incidents.length > 0 || change.correlationId !== undefined) this.#birth = undefined
    for (const id of change.closes) this.#unwritten.bookmarks.delete(id)
    this.#execution?.stamp(at, this.#standing.seq)
    this.#tellPublished(change.publishes)
    this.#shown = then.status ?? this.#shown
    if (change.opens.length > 0 || then.kind !== 'hold') this.#holder.moved(this)
    if (then.kind !== 'hold') {
      this.#gone = true
      this.#proven.resolve()
      // Without a due time the agenda row is gone; the next stimulus begins to count anew.
      if (then.kind === 'suspend' && then.dueAt === undefined && then.dueInMs === undefined) this.#standing.stim = 0
      if (posture.kind === 'ended') this.#holder.ended(this, posture, () => this.#last(posture, at))
      else this.#holder.suspended(this)
      return
    }
    tentative?.apply(at)
    this.#unwritten.reached(flight)
    if (this.isStill) this.#orders.settleSoon()
    this.changed()
  }

  #last(end: Ended, finishedAt: number): InstanceState | undefined {
    if (this.#birth === undefined) return undefined
    const view = lastView(this.identity, this.#birth, end, finishedAt, this.#standing.seq)
    return { view, variables: this.#execution?.variables, waits: [] }
  }

  /** Whatever brought the last owner down did not bring this one down. */
  #wrote(factCount: number): void {
    if (factCount === 0) return
    this.#standing.seq += factCount
    this.#standing.crashes = Math.min(this.#standing.crashes, 1)
    this.#proven.resolve()
  }

  #refused({ tentative, posture, change }: Flight): void {
    if (tentative !== undefined) tentative.discard()
    else {
      if (posture.kind === 'ended') withdrawEnd(change, posture)
      this.#unwritten.pending.restore(change)
    }
    this.#heardAll = false
    this.#holder.stimulated(this)
  }

  #tellPublished(events: readonly { readonly id: string }[]): void {
    if (events.length === 0) return
    const ids = events.map((event) => event.id)
    this.#holder.published(this.identity.tenant, ids)
  }

  #incidentOf(error: Failure): NewIncident {
    return incidentOf(this.identity, this.newId(), error)
  }
}
