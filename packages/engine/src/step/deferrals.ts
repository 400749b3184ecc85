import { SeldomMap } from '@lockstep/base'
import type { StepKey } from '../journal/fact.ts'

interface Deferral {
  /** Store's clock. */
  dueAt: number
  readonly again: () => void
  readonly withdraw: () => void
}

/**
 * Steps of one instance that something outside holds back: a limit, a lock, a breaker. Nothing of it is in the journal: whoever takes the
 * instance over finds the step untried and asks anew, and its place in the line is the store's.
 */
export class Deferrals {
  readonly #steps = new SeldomMap<StepKey, Deferral>()

  get size(): number {
    return this.#steps.size
  }

  /** Calls `again` when it is due, or when something may have changed; `withdraw` when the step is no longer wanted. */
  add(step: StepKey, dueAt: number, again: () => void, withdraw: () => void): void {
    this.#steps.set(step, { dueAt, again, withdraw })
  }

  /** The step is no longer wanted. */
  withdraw(step: StepKey): void {
    const deferral = this.#steps.get(step)
    if (this.#steps.delete(step)) deferral!.withdraw()
  }

  /** The instance is out of hand: the places in line are its next owner's. */
  clear(): void {
    this.#steps.clear()
  }

  nextDueAt(): number | undefined {
    let earliest: number | undefined
    for (const { dueAt } of this.#steps.values()) if (earliest === undefined || dueAt < earliest) earliest = dueAt
    return earliest
  }

  /** Those that are due by `now` ask again. */
  fire(now: number): void {
    for (const [step, { dueAt, again }] of [...this.#steps]) {
      if (dueAt > now || !this.#steps.delete(step)) continue
      again()
    }
  }

  /** All of them ask again. */
  reconsider(): void {
    this.fire(Number.POSITIVE_INFINITY)
  }

  /** All of them are due: they ask again with the next `fire`. */
  expire(): void {
    for (const deferral of this.#steps.values()) deferral.dueAt = Number.NEGATIVE_INFINITY
  }
}

/** The earlier of two moments, either of which may be never. */
export function earlier(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b
  return b === undefined ? a : Math.min(a, b)
}
