/**
 * Runs a function workflow. Each call of the context has a key (its name, numbered from the second on); a key that the
 * journal knows is answered from there, another one is done and recorded. While the instance stays on its node the function
 * simply goes on in memory; after a move it is run again over the record.
 *
 * A recorded result reaches the function before its commit is acknowledged: code between steps does nothing that lasts. The
 * next effect waits for the acknowledgement, so that nothing outside is built on what might be lost.
 */
import { type Clock, isJsonObject, type Json, type Logger, type Random } from '@lockstep/base'
import type { Coordinator } from '@lockstep/coordination'
import { type Fact, type Failure, factFromRow, type StepKey, type Wait } from '../journal/fact.ts'
import { toFailure } from '../step/failure.ts'
import { toPayload } from '../step/payload.ts'
import { type RetryPolicy, retryDelayMs } from '../step/retry-policy.ts'
import type { InboxMessage, RecordedFact } from '../store/agenda-store.ts'
import type { NewIncident } from '../store/commit-store.ts'
import { bookmarksFor } from '../worker/bookmarks-for.ts'
import { activeBeside, type Change, type Execution, type ExecutionHost, type Posture } from '../worker/execution.ts'
import { Freeze } from '../worker/freeze.ts'
import { NonDeterministic, StepFailed } from './errors.ts'
import { FunctionMemo, type MemoEntry } from './function-memo.ts'
import type { AnyWorkflow, WorkflowContext } from './workflow-context.ts'

export interface FunctionShell {
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly eventTtlMs: number
  readonly mostDepth: number
  readonly locks: WorkflowLocks | undefined
  /** What the function sees of its execution. */
  readonly contextOf: (execution: FunctionExecution) => WorkflowContext
}

/** Where `ctx.lock` gets its locks. */
export type WorkflowLocks = Pick<Coordinator, 'mutex'>

interface Waiter {
  resolve(entry: MemoEntry): void
}

export class FunctionExecution implements Execution {
  readonly shell: FunctionShell
  readonly memo = new FunctionMemo()
  readonly freeze = new Freeze()
  readonly #workflow: AnyWorkflow
  readonly #waiters = new Map<StepKey, Waiter>()
  readonly #occurrences = new Map<string, number>()
  #host: ExecutionHost
  #begun = false
  #activeCount = 0
  #unasked = new Set<StepKey>()
  /** What stands between the code and calls that are recorded. */
  readonly #hurdles = new Set<Promise<unknown>>()
  #end: (Posture & { kind: 'ended' }) | undefined
  #disposed = false

  constructor(workflow: AnyWorkflow, shell: FunctionShell, host: ExecutionHost) {
    this.#workflow = workflow
    this.shell = shell
    this.#host = host
  }

  get host(): ExecutionHost {
    return this.#host
  }

  // What the worker asks for.

  replay(_snapshot: unknown, facts: readonly RecordedFact[]): void {
    for (const row of facts) this.memo.fold(factFromRow(row), row.at)
    this.#unasked = new Set([...this.memo.entries.keys(), ...this.memo.waits.keys(), ...this.memo.announced])
  }

  advance(): void {
    if (this.#begun) return
    this.#begun = true
    const context = this.shell.contextOf(this)
    const run = this.#workflow.run as (context: WorkflowContext, input: Json) => Promise<unknown>
    void Promise.resolve()
      .then(() => run(context, this.memo.input))
      .then((result) =>
        this.#finish({ kind: 'ended', status: 'completed', output: toPayload(result, 'The result'), error: undefined }),
      )
      .catch((error: unknown) =>
        this.#finish({ kind: 'ended', status: 'faulted', output: null, error: finalFailure(error) }),
      )
  }

  deliver(message: InboxMessage): void {
    this.freeze.afterwards(() => {
      const step = message.step ?? ''
      const open = this.memo.waits.get(step)
      if (open === undefined) return
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

  fire(now: number): void {
    if (this.freeze.isOn || this.#disposed) return
    const late: StepKey[] = []
    for (const [step, { wait, dueAt }] of this.memo.waits) {
      if (dueAt === undefined || dueAt > now) continue
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
  }

  stamp(at: number, upToSeq: number): void {
    this.memo.stamp(at, upToSeq)
  }

  posture(): Posture {
    if (this.#end !== undefined) return this.#end
    if (this.#activeCount > 0 || this.freeze.isOn || this.memo.waits.size === 0 || !this.#begun)
      return activeBeside(this.memo.nextDueAt())
    return { kind: 'waiting', dueAt: this.memo.nextDueAt(), dueInMs: this.memo.nextDueInMs() }
  }

  /** The record of all results is the journal itself; there is no shorter form of it. */
  snapshot(): undefined {
    return undefined
  }

  attach(host: ExecutionHost): void {
    this.#host = host
  }

  dispose(): void {
    this.#disposed = true
    this.freeze.close()
    this.#waiters.clear()
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
  async beyondRecord(step: StepKey): Promise<void> {
    if (this.#unasked.size === 0) return
    // Answers from the record take no time: one turn is enough for every branch that has one.
    await new Promise<void>((resolve) => this.shell.clock.soon(resolve))
    while (this.#unasked.size > 0 && this.#hurdles.size > 0) {
      await Promise.race(this.#hurdles)
      await new Promise<void>((resolve) => this.shell.clock.soon(resolve))
    }
    const [recorded] = this.#unasked
    if (recorded === undefined) return
    const error = new NonDeterministic({ asked: `"${step}"`, recorded: `"${recorded}"` })
    this.#finish({ kind: 'ended', status: 'faulted', output: null, error: toFailure(error, step) })
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
  record(fact: Fact, more: Omit<Change, 'facts'> = {}): void {
    if (this.#disposed) return
    this.memo.fold(fact, undefined)
    this.#host.record({ ...more, facts: [fact] })
  }

  /** Records the end of a step and wakes whoever waits for it. */
  settle(fact: Fact & { readonly step: StepKey }): void {
    this.record(fact)
    this.#wake(fact.step)
  }

  /** Settles when the wait under this key has ended. */
  ended(step: StepKey): Promise<MemoEntry> {
    return new Promise((resolve) => this.#waiters.set(step, { resolve }))
  }

  /** Records that the code waits, and opens the bookmark that stands for it outside. */
  openWait(step: StepKey, wait: Wait, incidents: readonly NewIncident[] = []): void {
    const opens = bookmarksFor(step, wait, () => this.#host.newId())
    const [bookmark] = opens
    this.record({ kind: 'waiting', step, wait, ...(bookmark && { bookmark: bookmark.id }) }, { opens, incidents })
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

  #finish(end: Posture & { kind: 'ended' }): void {
    if (this.#disposed || this.#end !== undefined) return
    this.#end = end
    this.#host.changed()
  }
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

/** What the function threw, as the failure of the instance: a failed step keeps its own code. */
function finalFailure(error: unknown): Failure {
  if (!StepFailed.is(error)) return toFailure(error, '')
  const { step, code, message, data } = error.details
  return { code, message, step, ...(data === undefined ? {} : { data }) }
}
