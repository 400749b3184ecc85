/** What the journal knows of a function's run: results by step, waits that are open, attempts that were made. Plain data, folded from facts. */
import { type Json, SeldomMap, SeldomSet } from '@lockstep/base'
import { type EndedFact, type Fact, type Failure, isBreach, type StepKey, type Wait } from '../journal/fact.ts'
import type { Stands } from '../worker/control-messages.ts'
import { isUndoKey, SagaMemo } from './saga-memo.ts'

export type MemoEntry =
  | { readonly kind: 'completed'; readonly outcome: string; readonly output: Json }
  | { readonly kind: 'failed'; readonly error: Failure }

export interface MemoWait {
  readonly wait: Wait | { readonly kind: 'retry'; readonly ms: number }
  readonly seq: number
  /** Store's clock; absent until the commit that began it was acknowledged, or when it is never due. */
  dueAt: number | undefined
}

export class FunctionMemo {
  input: Json = null
  depth = 0
  seq = 0
  readonly entries = new Map<StepKey, MemoEntry>()
  readonly waits = new SeldomMap<StepKey, MemoWait>()
  /** The attempt to make next, where it is not the first. */
  readonly attempts = new SeldomMap<StepKey, number>()
  /** Attempts of at-most-once steps that were announced and not heard of again. */
  readonly announced = new SeldomSet<StepKey>()
  readonly saga = new SagaMemo()
  /** Children of steps that were taken back. No fact says that they were told: whoever replays the journal tells them once more, which is harmless. */
  readonly unwanted = new SeldomSet<string>()
  /** A step met a limit, and no end was written yet. */
  breach: Failure | undefined
  isPaused = false
  #isPutAside = false
  #end: EndedFact | undefined
  /** Number of the first fact of each step. */
  readonly #begunAt = new Map<StepKey, number>()
  /** How often an operator had a step done again: each time it has a key of its own. */
  readonly #rewinds = new SeldomMap<StepKey, number>()
  #unstamped: StepKey[] = []

  /** What keeps it from going on. */
  get stands(): Stands | undefined {
    return this.#end?.status ?? (this.#isPutAside ? 'quarantined' : this.isPaused ? 'paused' : undefined)
  }

  /** Steps that the journal knows, in the order in which they began. */
  steps(): StepKey[] {
    return [...this.#begunAt.keys()]
  }

  /** What tells the repetitions of a step apart, in its idempotency key. */
  repetition(step: StepKey): string {
    const rewinds = this.#rewinds.get(step)
    return rewinds === undefined ? '' : `~${rewinds}`
  }

  fold(fact: Fact, at: number | undefined): void {
    this.seq += 1
    if ('step' in fact && fact.kind !== 'retried' && fact.step !== undefined && !this.#begunAt.has(fact.step))
      this.#begunAt.set(fact.step, this.seq)
    this.saga.fold(fact)
    switch (fact.kind) {
      case 'started':
        this.input = fact.input
        this.depth = fact.depth ?? 0
        break
      case 'completed':
        this.#close(fact.step)
        this.entries.set(fact.step, { kind: 'completed', outcome: fact.outcome, output: fact.output ?? null })
        break
      case 'failed':
        this.#close(fact.step)
        this.entries.set(fact.step, { kind: 'failed', error: fact.error })
        if (isBreach(fact.error)) this.breach = { ...fact.error, step: fact.step }
        break
      case 'attempting':
        this.announced.add(fact.step)
        break
      case 'waiting':
        this.#open(fact.step, fact.wait, at)
        break
      case 'retrying':
        this.announced.delete(fact.step)
        this.attempts.set(fact.step, fact.attempt + 1)
        this.#open(fact.step, { kind: 'retry', ms: fact.delayMs }, at)
        break
      case 'paused':
      case 'continued':
        this.isPaused = fact.kind === 'paused'
        break
      case 'quarantined':
        this.#isPutAside = true
        break
      case 'ended':
        this.#end = fact
        this.unwanted.clear() // it could not end before they were told
        break
      case 'retried':
        this.#retry(fact.step)
        break
      case 'forked':
        this.#becomeCopy()
        break
      case 'cancelled':
      case 'undoing':
        for (const step of this.droppedWaits()) this.#close(step)
        break
      default:
        break // of the instance, not of its code
    }
  }

  /** What failed is done again; from a step on: all that was recorded since it began. */
  #retry(step: StepKey | undefined): void {
    const failed = this.#end?.error?.step ?? this.breach?.step
    this.#end = undefined
    this.#isPutAside = false
    if (step === undefined) {
      if (failed !== undefined && this.entries.get(failed)?.kind === 'failed') this.#forget(failed)
      // A compensation that failed is what holds an instance up that is undone.
      for (const [each, { kind }] of [...this.entries]) if (kind === 'failed' && isUndoKey(each)) this.#forget(each)
      return
    }
    const from = this.#begunAt.get(step) ?? Number.POSITIVE_INFINITY
    for (const [each, seq] of [...this.#begunAt]) {
      if (seq < from) continue
      const wait = this.waits.get(each)?.wait
      if (wait?.kind === 'child') this.unwanted.add(wait.instanceId)
      this.#forget(each)
      this.#rewinds.set(each, (this.#rewinds.get(each) ?? 0) + 1)
    }
  }

  /** Nothing outside was done in the name of a copy: its attempts are not made yet, its children not started. */
  #becomeCopy(): void {
    this.isPaused = false
    this.#retry(undefined)
    this.announced.clear()
    this.unwanted.clear()
    for (const [step, { wait }] of [...this.waits]) if (wait.kind === 'child') this.#forget(step)
  }

  #forget(step: StepKey): void {
    this.#close(step)
    this.entries.delete(step)
    if (this.breach?.step === step) this.breach = undefined
    this.saga.forget(step)
    this.#begunAt.delete(step)
  }

  /** Waits that are over once all is undone. */
  droppedWaits(): StepKey[] {
    if (this.saga.undoing === undefined) return []
    return [...this.waits].filter(([step, { wait }]) => !this.saga.outlasts(step, wait.kind)).map(([step]) => step)
  }

  stamp(at: number, upToSeq: number): void {
    if (this.#unstamped.length === 0) return
    this.#unstamped = this.#unstamped.filter((step) => {
      const wait = this.waits.get(step)
      if (wait === undefined) return false
      if (wait.seq > upToSeq) return true
      wait.dueAt = at + (delayOf(wait.wait) ?? 0)
      return false
    })
  }

  /** A retry that is being made waits no longer. */
  endRetry(step: StepKey): void {
    if (this.waits.get(step)?.wait.kind === 'retry') this.waits.delete(step)
  }

  nextDueAt(): number | undefined {
    let earliest: number | undefined
    for (const { dueAt } of this.waits.values())
      if (dueAt !== undefined && (earliest === undefined || dueAt < earliest)) earliest = dueAt
    return earliest
  }

  nextDueInMs(): number | undefined {
    const delays = this.#unstamped.flatMap((step) => {
      const wait = this.waits.get(step)
      return wait === undefined ? [] : [delayOf(wait.wait) ?? 0]
    })
    return delays.length === 0 ? undefined : delays.reduce((a, b) => Math.min(a, b))
  }

  #open(step: StepKey, wait: MemoWait['wait'], at: number | undefined): void {
    const ms = delayOf(wait)
    const dueAt = 'at' in wait ? wait.at : ms !== undefined && at !== undefined ? at + ms : undefined
    if (ms !== undefined && dueAt === undefined) this.#unstamped.push(step)
    this.waits.set(step, { wait, seq: this.seq, dueAt })
  }

  #close(step: StepKey): void {
    this.waits.delete(step)
    this.announced.delete(step)
    this.attempts.delete(step)
  }
}

function delayOf(wait: MemoWait['wait']): number | undefined {
  if ('ms' in wait) return wait.ms
  return 'timeoutMs' in wait ? wait.timeoutMs : undefined
}
