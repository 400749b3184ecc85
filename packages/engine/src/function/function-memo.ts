/** What the journal knows of a function's run: results by step, waits that are open, attempts that were made. Plain data, folded from facts. */
import type { Json } from '@lockstep/base'
import type { Fact, Failure, StepKey, Wait } from '../journal/fact.ts'

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
  readonly waits = new Map<StepKey, MemoWait>()
  /** The attempt to make next, where it is not the first. */
  readonly attempts = new Map<StepKey, number>()
  /** Attempts of at-most-once steps that were announced and not heard of again. */
  readonly announced = new Set<StepKey>()
  #unstamped: StepKey[] = []

  fold(fact: Fact, at: number | undefined): void {
    this.seq += 1
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
      default:
        break // of the instance, not of its code
    }
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
