import type { Clock, Timer } from '@lockstep/base'

/** A clock that stands still until told otherwise. */
export class ManualClock implements Clock {
  #at = 0
  readonly #timers = new Set<{ readonly dueAt: number; readonly run: () => void }>()

  /** Timers neither run nor cancelled. */
  get pendingCount(): number {
    return this.#timers.size
  }

  now(): number {
    return this.#at
  }

  monotonic(): number {
    return this.#at
  }

  schedule(delayMs: number, run: () => void): Timer {
    const timer = { dueAt: this.#at + delayMs, run }
    this.#timers.add(timer)
    return { cancel: () => this.#timers.delete(timer) }
  }

  soon(run: () => void): void {
    setImmediate(run)
  }

  /** Runs what falls due on the way, in order. */
  advance(ms: number): void {
    const until = this.#at + ms
    for (;;) {
      const [next] = [...this.#timers].filter((each) => each.dueAt <= until).sort((a, b) => a.dueAt - b.dueAt)
      if (next === undefined) break
      this.#timers.delete(next)
      this.#at = next.dueAt
      next.run()
    }
    this.#at = until
  }
}
