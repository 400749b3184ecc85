/**
 * One claimed instance on its node: gathers what its execution records, hands it to the pipeline one item at a time, and
 * decides with each item what becomes of the claim. The store may answer three things: written, stimulated (something came
 * that the decision had not heard: nothing of the item was written, the inbox is read, the item is built anew) or lost.
 */
import { Cancelled, type Deferred, deferred, errorMessage, hashJson, type Json, LazyAbort } from '@lockstep/base'
import type { CheckpointSource } from '../commit/commit-pipeline.ts'
import type { EndStatus, Fact, Failure, StepKey } from '../journal/fact.ts'
import type { Inbox, InboxMessage } from '../store/agenda-store.ts'
import type { CheckpointItem, CheckpointVerdict, Disposition, NewIncident } from '../store/commit-store.ts'
import type { UserTransaction } from '../store/transaction-store.ts'
import type { Change, ChildStart, Execution, ExecutionHost, InstanceIdentity, Posture, Tentative } from './execution.ts'
import { PendingChange } from './pending-change.ts'

/** What a held instance asks of the worker that holds it. */
export interface Holder {
  /** Timers due within this time are waited for with the claim in hand. */
  readonly holdMs: number
  storeNow(): number
  newId(): string
  mark(held: HeldInstance): void
  transact<M extends { readonly facts: readonly Fact[] }>(
    work: (tx: UserTransaction) => Promise<M>,
    item: (made: M) => CheckpointItem,
  ): Promise<M & { readonly verdict: CheckpointVerdict; readonly at: number }>
  startChild(parent: InstanceIdentity, child: ChildStart): Promise<void>
  /** A stimulus was missed: read the inbox and call `hear`. */
  stimulated(held: HeldInstance): void
  /** Waits with the claim in hand until `dueAt` (store's clock). */
  waits(held: HeldInstance, dueAt: number): void
  published(tenant: string, eventIds: readonly string[]): void
  suspended(held: HeldInstance): void
  ended(held: HeldInstance, status: string, output: Json, error: Failure | undefined): void
  lost(held: HeldInstance): void
}

export interface HeldStart {
  readonly identity: InstanceIdentity
  readonly claimNo: number
  readonly stim: number
  readonly crashes: number
  /** Number of the last committed fact. */
  readonly seq: number
  readonly bookmarks: ReadonlyMap<string, StepKey>
}

interface InFlight {
  readonly change: PendingChange
  readonly posture: Posture
  readonly then: Disposition
  readonly recordedCount: number
  readonly tentative: Tentative | undefined
}

export class HeldInstance implements CheckpointSource, ExecutionHost {
  readonly identity: InstanceIdentity
  readonly claimNo: number
  readonly #holder: Holder
  readonly abort = new LazyAbort()
  readonly #bookmarks: Map<string, StepKey>
  #execution: Execution | undefined
  #stim: number
  #seq: number
  #crashes: number
  #pending = new PendingChange()
  #tentative: Tentative | undefined
  #inFlight: InFlight | undefined
  #heardAll = true
  #suspected = false
  #forcedEnd: { readonly status: EndStatus; readonly error: Failure | undefined } | undefined
  #parked: (Disposition & { kind: 'suspend' }) | undefined
  #gone = false
  /** A transaction of the user's writes this instance; the pipeline must not. */
  #reserved = false
  #transacting: Promise<unknown> = Promise.resolve()
  /** Wait for the item in flight to be answered. */
  #landed: (() => void)[] = []
  #draining = false
  #effectCount = 0
  readonly #proven: Deferred<void> = deferred()
  #recordedCount = 0
  #durableCount = 0
  #waiting: { readonly upTo: number; resolve(): void }[] = []

  constructor(start: HeldStart, holder: Holder) {
    this.identity = start.identity
    this.claimNo = start.claimNo
    this.#stim = start.stim
    this.#seq = start.seq
    this.#crashes = start.crashes
    this.#bookmarks = new Map(start.bookmarks)
    this.#holder = holder
  }

  get execution(): Execution | undefined {
    return this.#execution
  }

  get isIdle(): boolean {
    return this.#inFlight === undefined && this.#pending.isEmpty && this.#tentative === undefined
  }

  /** Whether something runs or is being written that a stopping node should wait for. */
  get isBusy(): boolean {
    return this.#effectCount > 0 || !this.isIdle
  }

  /** Settles when the instance has come past the point where its last owner died, or is out of hand. */
  get proven(): Promise<void> {
    return this.#proven.promise
  }

  /** What a later claim by this node, with nobody in between, can go on from. */
  get rest(): HeldStart | undefined {
    if (!this.isIdle) return undefined // its execution is ahead of the journal
    return {
      identity: this.identity,
      claimNo: this.claimNo,
      stim: this.#stim,
      crashes: 0,
      seq: this.#seq,
      bookmarks: this.#bookmarks,
    }
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
    this.#pending.addFact({ kind: 'quarantined', crashCount })
    this.#pending.incidents.push(this.#incident({ code: 'QUARANTINED', message }))
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
    if (this.#gone) return
    for (const bookmark of change.opens ?? []) this.#bookmarks.set(bookmark.id, bookmark.step)
    this.#pending.add(change, (step) => [...this.#bookmarks].filter(([, at]) => at === step).map(([id]) => id))
    this.#recordedCount += 1
    this.#holder.mark(this)
  }

  propose(tentative: Tentative): void {
    if (this.#gone) return
    this.#tentative = tentative
    this.#holder.mark(this)
  }

  durable(): Promise<void> {
    if (this.#gone || this.#draining) return new Promise(() => {})
    if (this.#durableCount >= this.#recordedCount) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push({ upTo: this.#recordedCount, resolve }))
  }

  async effect<T>(run: () => Promise<T>): Promise<T> {
    this.#effectCount += 1
    try {
      return await run()
    } finally {
      this.#effectCount -= 1
    }
  }

  /** One at a time: each takes the next number of the journal for itself. */
  transact<T>(
    work: (tx: UserTransaction) => Promise<{ readonly result: T; readonly facts: readonly Fact[] }>,
    applied: (facts: readonly Fact[], at: number) => void,
  ): Promise<T> {
    const mine = this.#transacting.then(() => this.#transactAlone(work, applied))
    this.#transacting = mine.catch(() => undefined)
    return mine
  }

  async #transactAlone<T>(
    work: (tx: UserTransaction) => Promise<{ readonly result: T; readonly facts: readonly Fact[] }>,
    applied: (facts: readonly Fact[], at: number) => void,
  ): Promise<T> {
    await this.durable()
    this.#reserved = true
    try {
      while (this.#inFlight !== undefined) await new Promise<void>((resolve) => this.#landed.push(resolve))
      const { result, facts, verdict, at } = await this.effect(() =>
        this.#holder.transact(work, (made) => this.#transactionItem(made.facts)),
      )
      if (verdict.kind !== 'written') {
        this.#holder.lost(this)
        return await new Promise<never>(() => {})
      }
      this.#seq += facts.length
      applied(facts, at)
      return result
    } finally {
      this.#reserved = false
      this.changed()
    }
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

  // What the worker tells.

  /** Timers that are due by now. */
  fire(now: number): void {
    if (this.#gone || this.#forcedEnd !== undefined) return
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

  hear(inbox: Inbox): void {
    if (this.#gone) return
    this.#heardAll = true
    // The claim is being given back: either that is refused and the inbox read again, or the next owner reads it.
    if (this.#inFlight !== undefined && this.#inFlight.then.kind !== 'hold') return
    this.#stim = inbox.stim
    if (inbox.messages.length > 0) this.#withdrawTentative()
    for (const message of inbox.messages) {
      if (this.#pending.consumes.includes(message.id) || this.#inFlight?.change.consumes.includes(message.id)) continue
      this.#pending.consumes.push(message.id)
      this.#recordedCount += 1
      this.#deliver(message)
    }
    this.changed()
  }

  /** Ends the instance whatever its execution is doing; running code is told by the signal. */
  endAs(status: EndStatus, error: Failure | undefined, reason: unknown): void {
    if (this.#gone || this.#forcedEnd !== undefined) return
    this.#forcedEnd = { status, error }
    this.#withdrawTentative()
    this.abort.abort(reason)
    this.#execution?.dispose(reason)
    this.changed()
  }

  /** Forgets the instance: it belongs to somebody else, or the node is going. Nothing recorded is written any more. */
  drop(reason: unknown): void {
    if (this.#gone) return
    this.#gone = true
    this.#waiting = []
    this.#proven.resolve()
    this.abort.abort(reason)
    this.#execution?.dispose(reason)
  }

  #deliver(message: InboxMessage): void {
    if (message.bookmarkId !== undefined) this.#bookmarks.delete(message.bookmarkId)
    if (message.kind === 'cancel') {
      const reason = textOf(message.payload)
      this.#pending.addFact({ kind: 'cancelled', ...(reason === undefined ? {} : { reason }) })
      this.endAs('cancelled', undefined, new Cancelled({ what: `Instance ${this.identity.instanceId}` }))
    } else if (this.#forcedEnd === undefined) this.#execution?.deliver(message)
  }

  /** A time-out that was not put to the store yet gives way: who was first is open again. */
  #withdrawTentative(): void {
    const tentative = this.#tentative
    this.#tentative = undefined
    tentative?.discard()
  }

  // What the pipeline asks for.

  take(): CheckpointItem | undefined {
    if (this.#inFlight !== undefined || this.#gone || this.#reserved) return undefined
    if (this.#parked !== undefined) return this.#takeParked(this.#parked)
    if (this.#execution === undefined && this.#forcedEnd === undefined) return undefined
    const tentative = this.#pending.isEmpty && this.#forcedEnd === undefined ? this.#tentative : undefined
    if (tentative !== undefined) return this.#takeTentative(tentative)
    const posture = this.#posture()
    const then = this.#disposition(posture)
    if (then.kind === 'hold' && this.#pending.isEmpty) return undefined
    const change = this.#pending
    this.#pending = new PendingChange()
    if (posture.kind === 'ended') this.#conclude(change, posture)
    return this.#item(change, posture, then, undefined)
  }

  settle(verdict: CheckpointVerdict, at: number): void {
    const flight = this.#land()
    if (flight === undefined || this.#gone) return
    if (verdict.kind === 'lost') this.#holder.lost(this)
    else if (verdict.kind === 'stimulated') this.#refused(flight)
    else this.#written(flight, at)
  }

  /** The store cannot hold what the instance wants to write: that ends it, with the reason, and nothing else. */
  fail(error: unknown): void {
    const flight = this.#land()
    if (flight === undefined || this.#gone) return
    if (isConflict(error)) {
      this.#holder.lost(this)
      return
    }
    if (this.#forcedEnd !== undefined) {
      // Not even its end can be written: somebody else may try, and after a few of them a person will.
      this.#holder.lost(this)
      return
    }
    this.#pending = new PendingChange()
    this.#pending.consumes = flight.change.consumes
    this.#tentative = undefined
    this.endAs(
      'faulted',
      { code: 'NOT_WRITABLE', message: `The store refused what this step produced: ${errorMessage(error)}` },
      error,
    )
  }

  #land(): InFlight | undefined {
    const flight = this.#inFlight
    this.#inFlight = undefined
    for (const resolve of this.#landed.splice(0)) resolve()
    return flight
  }

  #posture(): Posture {
    if (this.#forcedEnd !== undefined) return { kind: 'ended', output: null, ...this.#forcedEnd }
    return this.#execution?.posture() ?? { kind: 'active' }
  }

  #disposition(posture: Posture): Disposition {
    if (posture.kind === 'ended') return { kind: 'end', status: posture.status }
    if (posture.kind === 'active' || !this.#heardAll || this.#tentative !== undefined) return { kind: 'hold' }
    const now = this.#holder.storeNow()
    const inMs = Math.min(
      posture.dueAt === undefined ? Number.POSITIVE_INFINITY : posture.dueAt - now,
      posture.dueInMs ?? Number.POSITIVE_INFINITY,
    )
    if (inMs <= this.#holder.holdMs) {
      this.#holder.waits(this, now + inMs)
      return { kind: 'hold' }
    }
    return { kind: 'suspend', dueAt: posture.dueAt, dueInMs: posture.dueInMs, status: 'suspended' }
  }

  #takeParked(then: Disposition): CheckpointItem {
    const change = this.#pending
    this.#pending = new PendingChange()
    return this.#item(change, { kind: 'waiting', dueAt: undefined, dueInMs: undefined }, then, undefined)
  }

  #takeTentative(tentative: Tentative): CheckpointItem {
    const change = new PendingChange()
    change.add({ facts: tentative.facts, closes: tentative.closes }, (step) =>
      [...this.#bookmarks].filter(([, at]) => at === step).map(([id]) => id),
    )
    this.#tentative = undefined
    return this.#item(change, { kind: 'active' }, { kind: 'hold' }, tentative)
  }

  #conclude(change: PendingChange, posture: Posture & { kind: 'ended' }): void {
    const { status, output, error } = posture
    change.addFact({
      kind: 'ended',
      status,
      ...(status === 'completed' ? { output } : {}),
      ...(error === undefined ? {} : { error }),
    })
    change.closes = []
    change.close(this.#bookmarks.keys())
    if (status === 'faulted' && error !== undefined) change.incidents.push(this.#incident(error))
  }

  /** Alike failures have one fingerprint, whichever run and turn of a loop they are from. */
  #incident(error: Failure): NewIncident {
    const fingerprint = hashJson([this.identity.definitionId, stepOf(error), error.code]).slice(0, 16)
    return { id: this.newId(), step: error.step, fingerprint, code: error.code, message: error.message.slice(0, 2_000) }
  }

  #transactionItem(facts: readonly Fact[]): CheckpointItem {
    const change = new PendingChange()
    for (const fact of facts) change.addFact(fact)
    const item = this.#item(change, { kind: 'active' }, { kind: 'hold' }, undefined)
    this.#inFlight = undefined
    return item
  }

  #item(change: PendingChange, posture: Posture, then: Disposition, tentative: Tentative | undefined): CheckpointItem {
    this.#inFlight = { change, posture, then, recordedCount: this.#recordedCount, tentative }
    const { parentId, parentStep } = this.identity
    return {
      tenant: this.identity.tenant,
      instanceId: this.identity.instanceId,
      claimNo: this.claimNo,
      seq: this.#seq + 1,
      facts: change.facts,
      then,
      stim: this.#stim,
      opens: change.opens,
      closes: change.closes,
      consumes: change.consumes,
      publishes: change.publishes,
      incidents: change.incidents,
      snapshot: then.kind === 'suspend' ? this.#execution?.snapshot() : undefined,
      survived: this.#crashes > 1 && change.facts.length > 0 && then.kind === 'hold',
      parent:
        posture.kind === 'ended' && parentId !== undefined && parentStep !== undefined
          ? {
              instanceId: parentId,
              step: parentStep,
              payload: JSON.stringify({ status: posture.status, output: posture.output, error: posture.error ?? null }),
            }
          : undefined,
    }
  }

  #written(flight: InFlight, at: number): void {
    const { change, posture, then, tentative } = flight
    this.#seq += change.facts.length
    if (change.facts.length > 0 && then.kind === 'hold') this.#crashes = Math.min(this.#crashes, 1)
    for (const id of change.closes) this.#bookmarks.delete(id)
    this.#execution?.stamp(at, this.#seq)
    if (change.facts.length > 0 || then.kind !== 'hold') this.#proven.resolve()
    this.#durableCount = flight.recordedCount
    if (change.publishes.length > 0)
      this.#holder.published(
        this.identity.tenant,
        change.publishes.map((event) => event.id),
      )
    if (then.kind === 'end' && posture.kind === 'ended') {
      this.#gone = true
      this.#holder.ended(this, posture.status, posture.output, posture.error)
      return
    }
    if (then.kind === 'suspend') {
      this.#gone = true
      // Without a due time the agenda row is gone; the next stimulus begins to count anew.
      if (then.dueAt === undefined && then.dueInMs === undefined) this.#stim = 0
      this.#holder.suspended(this)
      return
    }
    tentative?.apply(at)
    while (this.#waiting.length > 0 && this.#waiting[0]!.upTo <= this.#durableCount) this.#waiting.shift()!.resolve()
    this.changed()
  }

  #refused(flight: InFlight): void {
    if (flight.tentative !== undefined) flight.tentative.discard()
    else {
      if (flight.posture.kind === 'ended') this.#withdrawConclusion(flight.change)
      this.#pending.restore(flight.change)
    }
    this.#heardAll = false
    this.#holder.stimulated(this)
  }

  /** The end is decided anew once the inbox was read; what led to it stays. */
  #withdrawConclusion(change: PendingChange): void {
    change.facts.pop()
    change.closes = []
    change.incidents = []
  }
}

/** Somebody else has written the next fact of the journal: ownership was lost, however it looked. */
function isConflict(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('details' in error)) return false
  const { details } = error
  return (
    typeof details === 'object' && details !== null && 'constraint' in details && details.constraint === 'journal_pkey'
  )
}

function stepOf(error: Failure): string {
  return (error.step ?? '').replace(/\[\d+\]|#\d+/g, '')
}

function textOf(payload: unknown): string | undefined {
  return typeof payload === 'object' && payload !== null && 'reason' in payload && typeof payload.reason === 'string'
    ? payload.reason
    : undefined
}
