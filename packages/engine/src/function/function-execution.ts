/**
 * Runs a function workflow. Each call of the context has a key (its name, numbered from the second on); a key that the
 * journal knows is answered from there, another one is done and recorded. While the instance stays on its node the function
 * simply goes on in memory; after a move it is run again over the record.
 *
 * A recorded result reaches the function before its commit is acknowledged: code between steps does nothing that lasts. The
 * next effect waits for the acknowledgement, so that nothing outside is built on what might be lost.
 */

import {
  type Clock,
  isJsonObject,
  type Json,
  LazyAbort,
  type Logger,
  type Random,
  SeldomMap,
  SeldomSet,
} from '@lockstep/base'
import type { Coordinator } from '@lockstep/coordination'
import {
  type Fact,
  type FailedFact,
  type Failure,
  factFromRow,
  isBreach,
  type StepKey,
  type Wait,
} from '../journal/fact.ts'
import { Bounds } from '../limit/bounds.ts'
import type { EngineLimits } from '../limit/engine-limits.ts'
import type { StepGate } from '../limit/step-gate.ts'
import type { Secrets } from '../outbound/secrets.ts'
import type { PartWriter } from '../progress/part-writer.ts'
import { UsedSecrets } from '../secret/used-secrets.ts'
import { Deferrals, earlier } from '../step/deferrals.ts'
import { failureOf } from '../step/failure.ts'
import { toKept } from '../step/payload.ts'
import type { ProgressReports } from '../step/progress-reports.ts'
import { type RetryPolicy, retryDelayMs } from '../step/retry-policy.ts'
import type { InboxMessage, RecordedFact } from '../store/agenda-store.ts'
import type { NewIncident } from '../store/commit-store.ts'
import { operateFunction } from '../verb/operate-function.ts'
import { bookmarksFor } from '../worker/bookmarks-for.ts'
import type { ExecutionOrder, Stands } from '../worker/control-messages.ts'
import {
  activeBeside,
  type Cancellation,
  type Change,
  type Execution,
  type ExecutionHost,
  type Posture,
} from '../worker/execution.ts'
import { Freeze } from '../worker/freeze.ts'
import type { GraphOutside } from '../worker/graph/graph-outside.ts'
import { putOffUntil } from '../worker/put-off-until.ts'
import { NonDeterministic, StepFailed } from './errors.ts'
import { FunctionMemo, type MemoEntry, type MemoWait } from './function-memo.ts'
import { isUndoKey } from './saga-memo.ts'
import type { Saga } from './saga-port.ts'
import { stopUnwanted } from './stop-unwanted.ts'
import type { AnyWorkflow, WorkflowContext } from './workflow-context.ts'

export interface FunctionShell {
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly eventTtlMs: number
  readonly locks: WorkflowLocks | undefined
  readonly secrets: Secrets
  readonly limits: EngineLimits
  readonly gate: StepGate
  readonly progress: ProgressReports
  readonly parts: PartWriter
  /** What the function sees of its execution. */
  readonly contextOf: (execution: FunctionExecution) => WorkflowContext
  readonly sagaOf: (execution: FunctionExecution) => Saga
  readonly cancelInstance: GraphOutside['cancelInstance']
}

/** Where `ctx.lock` gets its locks. */
export type WorkflowLocks = Pick<Coordinator, 'mutex'>

interface Waiter {
  resolve(entry: MemoEntry): void
}

/** Nothing is ever added to it. */
const none = new Set<StepKey>()

export class FunctionExecution implements Execution {
  readonly shell: FunctionShell
  readonly memo = new FunctionMemo()
  readonly freeze = new Freeze()
  readonly saga: Saga
  /** Sections under a lock that are open. */
  lockCount = 0
  /** Steps that a limit, a lock or a breaker holds back. */
  readonly #deferrals = new Deferrals()
  readonly #bounds: Bounds
  readonly #measure = (): number => bytesOf(this.memo)
  /** Of attempts that hold something which must be given back when the instance is out of hand. */
  readonly #holding = new SeldomSet<LazyAbort>()
  readonly #workflow: AnyWorkflow
  readonly #waiters = new SeldomMap<StepKey, Waiter>()
  readonly #occurrences = new Map<string, number>()
  #host: ExecutionHost
  #begun = false
  #activeCount = 0
  #unasked = none
  /** What stands between the code and calls that are recorded. */
  readonly #hurdles = new SeldomSet<Promise<unknown>>()
  #end: (Posture & { kind: 'ended' }) | undefined
  #disposed = false
  #isReplay = false
  #abort: LazyAbort | undefined
  #secrets: UsedSecrets | undefined

  constructor(workflow: AnyWorkflow, shell: FunctionShell, host: ExecutionHost) {
    this.#workflow = workflow
    this.shell = shell
    this.#host = host
    this.#bounds = new Bounds(shell.limits)
    this.saga = shell.sagaOf(this)
  }

  get host(): ExecutionHost {
    return this.#host
  }

  /** Aborts the code: when the instance leaves this node, and when what it did is undone. */
  get abort(): LazyAbort {
    this.#abort ??= new LazyAbort(this.#host.abort)
    return this.#abort
  }

  /** What its code has read; nothing that it writes down shows it. */
  get secrets(): UsedSecrets {
    this.#secrets ??= new UsedSecrets(this.shell.secrets, this.shell.clock)
    return this.#secrets
  }

  failureOf(error: unknown, step: StepKey): Failure {
    return failureOf(error, step, (text) => this.#secrets?.text(text) ?? text)
  }

  /** Calls that the journal has and the code has not made yet. */
  get unaskedCount(): number {
    return this.#unasked.size
  }

  // What the worker asks for.

  replay(_snapshot: unknown, facts: readonly RecordedFact[], hadOwner = false): void {
    for (const row of facts) this.memo.fold(factFromRow(row), row.at)
    this.#isReplay = facts.length > 1 || hadOwner
    if (facts.length > 1) this.#bounds.unmeasured()
    this.#askAll()
  }

  #askAll(): void {
    const { entries, waits, announced } = this.memo
    if (entries.size + waits.size + announced.size === 0) this.#unasked = none
    else this.#unasked = new Set([...entries.keys(), ...waits.keys(), ...announced])
  }

  get stands(): Stands | undefined {
    return this.memo.stands
  }

  /** Whether the code has asked for all that the journal has. */
  get isBeyondRecord(): boolean {
    return this.#unasked.size === 0
  }

  get isBegun(): boolean {
    return this.#begun
  }

  get isDisposed(): boolean {
    return this.#disposed
  }

  operate(order: ExecutionOrder): void {
    this.freeze.afterwards(() => {
      operateFunction(this, order)
      if (!this.#begun) this.#askAll()
    })
  }

  childEnded(step: StepKey, payload: Json): void {
    this.freeze.afterwards(() => {
      if (this.memo.waits.get(step)?.wait.kind === 'child') this.settle(childFact(step, payload))
    })
  }

  advance(): void {
    if (this.#begun) return
    this.#begun = true
    if (this.memo.breach !== undefined) return void this.stop(this.memo.breach)
    if (this.#isReplay) this.saga.replays()
    stopUnwanted(this)
    const context = this.shell.contextOf(this)
    const run = this.#workflow.run as (context: WorkflowContext, input: Json) => Promise<unknown>
    void Promise.resolve()
      .then(() => run(context, this.memo.input))
      .then((result) => {
        const output = this.kept('', result, 'The result')
        if (output !== undefined) this.#finish({ kind: 'ended', status: 'completed', output, error: undefined })
      })
      .catch((error: unknown) =>
        this.#finish({ kind: 'ended', status: 'faulted', output: null, error: this.#finalFailure(error) }),
      )
  }

  get holdsOn(): boolean {
    return this.lockCount > 0
  }

  cancel(cancellation: Cancellation): void {
    this.freeze.afterwards(() => {
      if (this.#end === undefined && !this.saga.isUndoing) this.saga.cancel(cancellation)
    })
  }

  deliver(message: InboxMessage): void {
    this.freeze.afterwards(() => {
      const step = message.step ?? ''
      const open = this.memo.waits.get(step)
      if (open === undefined || !isFrom(open.wait, message)) return
      if (message.kind === 'child') this.settle(childFact(step, message.payload))
      else
        this.settle({
          kind: 'completed',
          step,
          outcome: 'done',
          output: (message.payload ?? null) as Json,
          by: message.kind === 'event' ? 'event' : 'resume',
        })
    })
  }

  fire(now: number): readonly number[] {
    if (this.freeze.isOn || this.#disposed) return []
    const late: StepKey[] = []
    const dueAts: number[] = []
    for (const [step, { wait, dueAt }] of this.memo.waits) {
      if (dueAt === undefined || dueAt > now) continue
      dueAts.push(dueAt)
      if (wait.kind === 'timer') this.settle({ kind: 'completed', step, outcome: 'done', by: 'timer' })
      else if (wait.kind === 'retry') {
        const waiter = this.#waiters.get(step)
        if (waiter === undefined) continue
        this.#waiters.delete(step)
        this.memo.endRetry(step)
        waiter.resolve({ kind: 'completed', outcome: 'done', output: null })
      } else late.push(step)
    }
    if (late.length > 0) this.#proposeTimeouts(late)
    if (!this.#host.isStill) this.#deferrals.fire(now)
    return dueAts
  }

  stamp(at: number, upToSeq: number): void {
    this.memo.stamp(at, upToSeq)
  }

  posture(): Posture {
    const isParting = this.memo.unwanted.size > 0
    if (this.#end !== undefined && !isParting) return this.#end
    const status: { status?: string } = this.saga.isUndoing ? { status: 'compensating' } : {}
    const dueAt = earlier(this.memo.nextDueAt(), this.#deferrals.nextDueAt())
    const waitCount = this.memo.waits.size + this.#deferrals.size
    if (this.#activeCount > 0 || isParting || this.freeze.isOn || waitCount === 0 || !this.#begun)
      return activeBeside(dueAt, status.status)
    this.#bounds.rested()
    return { kind: 'waiting', dueAt, dueInMs: this.memo.nextDueInMs(), ...status }
  }

  /** The record of all results is the journal itself; there is no shorter form of it. */
  snapshot(): undefined {
    return undefined
  }

  reconsider(): void {
    this.freeze.afterwards(() => {
      if (!this.#host.isStill) this.#deferrals.reconsider()
    })
  }

  attach(host: ExecutionHost): void {
    this.#host = host
    this.#abort = undefined
    this.#deferrals.expire()
  }

  dispose(): void {
    this.#disposed = true
    this.freeze.close()
    this.#waiters.clear()
    this.#deferrals.clear()
    for (const hold of this.#holding) hold.abort('out of hand')
    this.#holding.clear()
  }

  // What the context asks for.

  /** The key of the next call under this name. */
  keyOf(name: string): StepKey {
    const count = (this.#occurrences.get(name) ?? 0) + 1
    this.#occurrences.set(name, count)
    return count === 1 ? name : `${name}#${count}`
  }

  /** What the journal says of this key. Asking marks it as reached by the code. */
  recall(step: StepKey): MemoEntry | undefined {
    this.#unasked.delete(step)
    return this.memo.entries.get(step)
  }

  /** Before anything new is done: the code must have come past all that is recorded. */
  beyondRecord(step: StepKey): Promise<void> | undefined {
    if (this.#host.isStill) return new Promise(() => {})
    return this.#unasked.size === 0 || this.saga.isUndoing ? undefined : this.#comeBeyondRecord(step)
  }

  async #comeBeyondRecord(step: StepKey): Promise<void> {
    // Answers from the record take no time: one turn is enough for every branch that has one.
    await new Promise<void>((resolve) => this.shell.clock.soon(resolve))
    while (this.#unasked.size > 0 && this.#hurdles.size > 0) {
      await Promise.race(this.#hurdles)
      await new Promise<void>((resolve) => this.shell.clock.soon(resolve))
    }
    const [recorded] = this.#unasked
    if (recorded === undefined) return
    const error = new NonDeterministic({ asked: `"${step}"`, recorded: `"${recorded}"` })
    // Nothing is undone: this code is not the one that did it.
    this.conclude({ kind: 'ended', status: 'faulted', output: null, error: this.failureOf(error, step) })
    throw error
  }

  /** A replay may have to wait for `passed` before it can come past what is recorded behind it. */
  hurdle(passed: Promise<unknown>): void {
    const settled: Promise<unknown> = passed.then(
      () => this.#hurdles.delete(settled),
      () => this.#hurdles.delete(settled),
    )
    this.#hurdles.add(settled)
  }

  /** Runs `work` as something that keeps the instance from being suspended. */
  async whileActive<T>(work: () => Promise<T>): Promise<T> {
    this.#activeCount += 1
    try {
      return await work()
    } finally {
      this.#activeCount -= 1
      this.#host.changed()
    }
  }

  /** Records a fact and what belongs to it. */
  record(given: Fact, more: Omit<Change, 'facts'> = {}): void {
    if (this.#disposed || this.#isStray(given)) return
    const fact = this.#secrets?.fact(given) ?? given
    const publishes = more.publishes && (this.#secrets?.events(more.publishes) ?? more.publishes)
    this.memo.fold(fact, undefined)
    this.#count(fact)
    this.#host.record({ ...more, ...(publishes && { publishes }), facts: [fact] })
  }

  /** Records the end of a step and wakes whoever waits for it. */
  settle(fact: Fact & { readonly step: StepKey }): void {
    this.record(fact)
    this.#wake(fact.step)
    this.saga.changed()
  }

  /** A limit is in the way of what a step gave: the step is to be done again. */
  settleBreach(fact: FailedFact): Promise<never> {
    this.record(fact)
    this.shell.progress.ended(this.#host.identity, fact.step)
    return this.stop(fact.error)
  }

  /** Waits that end when all is undone, before that is recorded. */
  dropWaits(): StepKey[] {
    return [...this.memo.waits]
      .filter(([step, { wait }]) => !this.memo.saga.outlasts(step, wait.kind))
      .map(([step]) => step)
  }

  /** For an attempt that holds something: aborts when the instance is out of hand, for whatever reason. */
  holdOn(): { readonly abort: LazyAbort; end(): void } {
    const abort = new LazyAbort(this.#host.abort)
    this.#holding.add(abort)
    return {
      abort,
      end: () => {
        abort.release()
        this.#holding.delete(abort)
      },
    }
  }

  /** Settles when the step should ask again for what its policies demand. Registered at once: until then the instance may be suspended. */
  putOff(step: StepKey, inMs: number, withdraw: () => void): Promise<void> {
    return new Promise((resolve) => this.#deferrals.add(step, putOffUntil(this.#host, inMs), resolve, withdraw))
  }

  #count(fact: Fact): void {
    this.#bounds.count(fact, this.memo.seq, this.#measure)
    const { breach } = this.#bounds
    if (breach !== undefined) void this.stop(breach)
  }

  /** A limit is in the way: the code goes no further, catches nothing, and nothing is undone. It goes on by a retry once the limit was raised. */
  stop(error: Failure): Promise<never> {
    this.conclude({ kind: 'ended', status: 'faulted', output: null, error })
    return new Promise(() => {})
  }

  /** A copy of what the code hands over. `undefined`: it is too large, and the code was stopped. */
  kept(step: StepKey, value: unknown, what: string): Json | undefined {
    try {
      return toKept(value, what, this.shell.limits)
    } catch (error) {
      const failure = this.failureOf(error, step)
      if (!isBreach(failure)) throw error
      void this.stop(failure)
      return undefined
    }
  }

  /** Settles when the wait under this key has ended. */
  ended(step: StepKey): Promise<MemoEntry> {
    return new Promise((resolve) => this.#waiters.set(step, { resolve }))
  }

  /** Records that the code waits, and opens the bookmark that stands for it outside. */
  openWait(
    step: StepKey,
    wait: Wait,
    { incidents = [], canBeUndone = false }: { incidents?: readonly NewIncident[]; canBeUndone?: boolean } = {},
  ): void {
    const opens = bookmarksFor(step, wait, () => this.#host.newId())
    const [bookmark] = opens
    const more = { ...(canBeUndone && { undo: true as const }), ...(bookmark && { bookmark: bookmark.id }) }
    this.record({ kind: 'waiting', step, wait, ...more }, { opens, incidents })
  }

  retryDelay(policy: RetryPolicy, attempt: number, failure: Failure): number | undefined {
    return retryDelayMs(policy, attempt, failure, this.shell.random.next())
  }

  #wake(step: StepKey): void {
    const entry = this.memo.entries.get(step)
    const waiter = this.#waiters.get(step)
    if (entry === undefined || waiter === undefined) return
    this.#waiters.delete(step)
    waiter.resolve(entry)
  }

  #proposeTimeouts(late: readonly StepKey[]): void {
    const facts = late.map((step): Fact & { step: StepKey } => ({
      kind: 'completed',
      step,
      outcome: 'timeout',
      by: 'timer',
    }))
    this.freeze.begin()
    this.#host.propose({
      facts,
      closes: late,
      apply: (at) => {
        for (const fact of facts) this.memo.fold(fact, at)
        this.freeze.end()
        for (const fact of facts) this.#wake(fact.step)
        this.#host.changed()
      },
      discard: () => this.freeze.end(),
    })
  }

  /** The code is over. What it did is undone where it failed; where that is under way already, this is of no interest. */
  #finish(end: Posture & { kind: 'ended' }): void {
    if (this.#disposed || this.#end !== undefined || this.saga.isUndoing) return
    if (end.status === 'faulted' && end.error !== undefined && this.saga.hasToUndo) this.saga.fault(end.error)
    else this.conclude(end)
  }

  /** What the function threw, as the failure of the instance: a failed step keeps its own code. */
  #finalFailure(error: unknown): Failure {
    if (!StepFailed.is(error)) return this.failureOf(error, '')
    const { step, code, message, data } = error.details
    return { code, message, step, ...(data === undefined ? {} : { data }) }
  }

  conclude(end: Posture & { kind: 'ended' }): void {
    if (this.#disposed || this.#end !== undefined) return
    this.#end = this.#secrets?.end(end) ?? end
    this.#host.changed()
  }

  /** Of code that does not know yet that all is undone. */
  #isStray(fact: Fact): boolean {
    if (!this.saga.isUndoing || !('step' in fact) || fact.step === undefined || isUndoKey(fact.step)) return false
    if (fact.kind === 'waiting') return fact.undo !== true
    return !this.saga.isAtWork(fact.step) && !this.memo.waits.has(fact.step)
  }
}

/** The end of a child that another one has taken the place of is not for its step. */
function isFrom(wait: MemoWait['wait'], { kind, payload }: InboxMessage): boolean {
  if (kind !== 'child' || wait.kind !== 'child' || !isJsonObject(payload)) return true
  return payload.child === undefined || payload.child === wait.instanceId
}

function childFact(step: StepKey, payload: unknown): Fact & { step: StepKey } {
  const { status, output, error } = isJsonObject(payload) ? payload : { status: 'faulted', output: null, error: null }
  if (status === 'completed') return { kind: 'completed', step, outcome: 'done', output: output ?? null, by: 'child' }
  const message = isJsonObject(error) && typeof error.message === 'string' ? error.message : 'no reason was recorded'
  return {
    kind: 'failed',
    step,
    attempt: 1,
    error: { code: status === 'faulted' ? 'CHILD_FAULTED' : 'CHILD_CANCELLED', message, step, data: error ?? null },
  }
}

/** What its results take as JSON. */
function bytesOf({ entries }: FunctionMemo): number {
  let bytes = 0
  for (const entry of entries.values()) bytes += JSON.stringify(entry).length
  return bytes
}
