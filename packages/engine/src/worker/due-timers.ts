import type { Clock, Timer } from '@lockstep/base'

/**
 * Timers of instances in hand. The first that comes due fires at once; those that come due shortly after it fire together, because
 * each firing is a commit and a commit costs the same for one as for twenty. With few timers nobody waits, with many the
 * store is asked a few hundred times a second instead of thousands.
 */
const GATHER_MS = 4

interface Entry<T> {
  readonly dueAt: number
  readonly timer: Timer
  readonly owner: T
}

export class DueTimers<T> {
  readonly #clock: Clock
  readonly #fire: (owner: T, dueAt: number) => void
  readonly #entries = new Map<T, Entry<T>>()
  #due: Entry<T>[] = []
  #gathering: Timer | undefined
  #firedAt = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, fire: (owner: T, dueAt: number) => void) {
    this.#clock = clock
    this.#fire = fire
  }

  get size(): number {
    return this.#entries.size
  }

  /** Fires `owner` at `dueAt`, `inMs` from now, unless it will be fired before that. */
  set(owner: T, dueAt: number, inMs: number): void {
    const present = this.#entries.get(owner)
    if (present !== undefined && present.dueAt <= dueAt) return
    present?.timer.cancel()
    const timer = this.#clock.schedule(Math.max(0, inMs), () => this.#reached(entry))
    const entry: Entry<T> = { dueAt, timer, owner }
    this.#entries.set(owner, entry)
  }

  cancel(owner: T): void {
    this.#entries.get(owner)?.timer.cancel()
    this.#entries.delete(owner)
  }

  #reached(entry: Entry<T>): void {
    this.#due.push(entry)
    if (this.#gathering !== undefined) return
    const leftMs = this.#firedAt + GATHER_MS - this.#clock.monotonic()
    if (leftMs <= 0) this.#fireDue()
    else this.#gathering = this.#clock.schedule(leftMs, () => this.#fireDue())
  }

  #fireDue(): void {
    this.#gathering = undefined
    this.#firedAt = this.#clock.monotonic()
    for (const entry of this.#due.splice(0)) {
      if (this.#entries.get(entry.owner) !== entry) continue // cancelled, or set anew
      this.#entries.delete(entry.owner)
      this.#fire(entry.owner, entry.dueAt)
    }
  }
}
