/**
 * One claimed instance on its node: gathers what its execution records, hands it to the pipeline one item at a time, and
 * decides with each item what becomes of the claim. The store may answer three things: written, stimulated (something came
 * that the decision had not heard: nothing of the item was written, the inbox is read, the item is built anew) or lost.
 */
import { Cancelled, type Deferred, deferred, errorMessage, LazyAbort } from '@lockstep/base'
import type { CheckpointSource } from '../commit/commit-pipeline.ts'
import type { EndStatus, Failure } from '../journal/fact.ts'
import type { Inbox, InboxMessage } from '../store/agenda-store.ts'
import type { CheckpointItem, CheckpointVerdict, Disposition, NewIncident } from '../store/commit-store.ts'
import { addEnd, checkpointItem, incidentOf, isConflict, restOf, type Standing, withdrawEnd } from './checkpoint.ts'
import type {
  Change,
  ChildStart,
  Execution,
  ExecutionHost,
  InstanceIdentity,
  Posture,
  Tentative,
  TransactedChange,
  TransactedWork,
} from './execution.ts'
import type { HeldStart, Holder } from './holder.ts'
import type { PendingChange } from './pending-change.ts'
import { type Flight, Unwritten } from './unwritten.ts'
import { type TransactionSite, UserTransactions } from './user-transactions.ts'

const ACTIVE: Posture = { kind: 'active' }
const HOLD: Disposition = { kind: 'hold' }

export class HeldInstance implements CheckpointSource, ExecutionHost, TransactionSite {
  readonly identity: InstanceIdentity
  readonly abort = new LazyAbort()
  readonly #holder: Holder<HeldInstance>
  readonly #standing: Standing
  readonly #unwritten: Unwritten
  readonly #proven: Deferred<void> = deferred()
  #transactions: UserTransactions | undefined
  #execution: Execution | undefined
  /** It was suspended or its timer has fired: it was waited for longer than a new one. */
  urgent: boolean
  #heardAll = true
  #suspected = false
  #forcedEnd: { readonly status: EndStatus; readonly error: Failure | undefined } | undefined
  #parked: (Disposition & { kind: 'suspend' }) | undefined
  #gone = false
  #draining = false
  #effectCount = 0

  constructor({ identity, claimNo, stim, crashes, seq, bookmarks }: HeldStart, holder: Holder<HeldInstance>) {
    this.identity = identity
    this.#standing = { claimNo, stim, crashes, seq }
    this.#unwritten = new Unwritten(bookmarks)
    this.#holder = holder
    this.urgent = claimNo > 1
  }

  get claimNo(): number {
    return this.#standing.claimNo
  }

  get execution(): Execution | undefined {
    return this.#execution
  }

  /** Whether something runs or is being written that a stopping node should wait for. */
  get isBusy(): boolean {
    return this.#effectCount > 0 || !this.#unwritten.isIdle
  }

  /** Whether a message could reach it: it has bookmarks open, or runs something that can be cancelled. */
  get mayHear(): boolean {
    return this.#unwritten.bookmarks.size > 0 || this.isBusy
  }

  /** Settles when the instance has come past the point where its last owner died, or is out of hand. */
  get proven(): Promise<void> {
    return this.#proven.promise
  }

  /** What a later claim by this node, with nobody in between, can go on from. */
  get rest(): HeldStart | undefined {
    if (!this.#unwritten.isIdle) return undefined // its execution is ahead of the journal
    return { ...this.#standing, identity: this.identity, crashes: 0, bookmarks: this.#unwritten.bookmarks }
  }

  begin(execution: Execution): void {
    this.#execution = execution
    execution.advance()
    this.changed()
    if (this.#suspected) this.suspectStimulus()
  }

  /** Puts the instance aside for a person to look at: it took its owners down with it. */
  quarantine(crashCount: number): void {
    const message = `It was running on ${crashCount} processes in a row when they died`
    this.#unwritten.pending.addFact({ kind: 'quarantined', crashCount })
    this.#unwritten.pending.incidents.push(this.#incidentOf({ code: 'QUARANTINED', message }))
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
    this.#draining = true
  }

  // What the execution asks for.

  record(change: Change): void {
    if (!this.#gone && this.#unwritten.record(change)) this.#holder.mark(this)
  }

  propose(tentative: Tentative): void {
    if (this.#gone) return
    this.#unwritten.propose(tentative)
    this.#holder.mark(this)
  }

  durable(): Promise<void> {
    return this.#gone || this.#draining ? new Promise(() => {}) : this.#unwritten.durable()
  }

  async effect<T>(run: () => Promise<T>): Promise<T> {
    this.#effectCount += 1
    try {
      return await run()
    } finally {
      this.#effectCount -= 1
    }
  }

  transact<T>(work: TransactedWork<T>): Promise<T> {
    this.#transactions ??= new UserTransactions(this, this.#standing, this.#unwritten, this.#holder)
    return this.#transactions.run(work)
  }

  startChild(child: ChildStart): Promise<void> {
    return this.#holder.startChild(this.identity, child)
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
    if (this.isOver) return
    this.#execution?.fire(now)
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

  /** `undefined`: it has no place on the agenda. */
  hear(inbox: Inbox | undefined): void {
    if (this.#gone) return
    this.#heardAll = true
    const { flight } = this.#unwritten
    // The claim is being given back: either that is refused and the inbox read again, or the next owner reads it.
    if (flight !== undefined && flight.then.kind !== 'hold') return
    if (inbox === undefined) return this.#holder.lost(this)
    this.#standing.stim = inbox.stim
    if (inbox.messages.length > 0) this.#unwritten.withdrawTentative()
    for (const message of inbox.messages) if (this.#unwritten.consume(message.id)) this.#deliver(message)
    this.changed()
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

  #deliver(message: InboxMessage): void {
    if (message.bookmarkId !== undefined) this.#unwritten.bookmarks.delete(message.bookmarkId)
    if (message.kind === 'cancel') {
      this.#unwritten.pending.addFact({ kind: 'cancelled', ...reasonGiven(message.payload) })
      this.endAs('cancelled', undefined, new Cancelled({ what: `Instance ${this.identity.instanceId}` }))
    } else if (this.#forcedEnd === undefined) this.#execution?.deliver(message)
  }

  // What the pipeline asks for.

  take(): CheckpointItem | undefined {
    const unwritten = this.#unwritten
    if (unwritten.flight !== undefined || this.#gone || this.#transactions?.isOpen) return undefined
    if (this.#parked !== undefined)
      return this.#send(
        unwritten.takePending(),
        { kind: 'waiting', dueAt: undefined, dueInMs: undefined },
        this.#parked,
      )
    if (this.#execution === undefined && this.#forcedEnd === undefined) return undefined
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

  settle(verdict: CheckpointVerdict, at: number): void {
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
      return HOLD
    }
    if (!this.#heardAll || this.#unwritten.tentative !== undefined) return HOLD
    const now = this.#holder.storeNow()
    const rest = restOf(posture, now, this.#holder.holdMs)
    if (typeof rest !== 'number') return rest
    this.#holder.waits(this, now + rest)
    return HOLD
  }

  #send(change: PendingChange, posture: Posture, then: Disposition, tentative?: Tentative): CheckpointItem {
    this.#unwritten.send(change, posture, then, tentative)
    const snapshot = then.kind === 'suspend' ? this.#execution?.snapshot() : undefined
    return checkpointItem(this.identity, this.#standing, change, posture, then, snapshot)
  }

  #written(flight: Flight, at: number): void {
    const { change, posture, then, tentative } = flight
    this.#wrote(change.facts.length)
    for (const id of change.closes) this.#unwritten.bookmarks.delete(id)
    this.#execution?.stamp(at, this.#standing.seq)
    this.#tellPublished(change.publishes)
    if (then.kind !== 'hold') {
      this.#gone = true
      this.#proven.resolve()
      // Without a due time the agenda row is gone; the next stimulus begins to count anew.
      if (then.kind === 'suspend' && then.dueAt === undefined && then.dueInMs === undefined) this.#standing.stim = 0
      if (posture.kind === 'ended') this.#holder.ended(this, posture.status, posture.output, posture.error)
      else this.#holder.suspended(this)
      return
    }
    tentative?.apply(at)
    this.#unwritten.reached(flight)
    this.changed()
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

function reasonGiven(payload: unknown): { readonly reason?: string } {
  return typeof payload === 'object' && payload !== null && 'reason' in payload && typeof payload.reason === 'string'
    ? { reason: payload.reason }
    : {}
}
