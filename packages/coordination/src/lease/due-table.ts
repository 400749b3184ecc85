import type { Clock, Timer } from '@lockstep/base'

export interface Due {
  /** By the monotonic clock. Must not change while it stands in a table. */
  readonly dueAt: number
}

/**
 * Things that fall due, with one timer for all of them. What is added and taken out again before its time, which is the
 * rule, costs two operations on a set and no timer.
 */
export class DueTable<Item extends Due> {
  readonly #clock: Clock
  readonly #onDue: (item: Item) => void
  readonly #items = new Set<Item>()
  #timer: Timer | undefined
  #wakeAt = Number.POSITIVE_INFINITY

  constructor(clock: Clock, onDue: (item: Item) => void) {
    this.#clock = clock
    this.#onDue = onDue
  }

  add(item: Item): void {
    this.#items.add(item)
    if (item.dueAt < this.#wakeAt) this.#wake(item.dueAt)
  }

  delete(item: Item): void {
    this.#items.delete(item)
  }

  /** Takes everything out, and the timer with it. */
  clear(): Item[] {
    const items = [...this.#items]
    this.#items.clear()
    this.#timer?.cancel()
    this.#timer = undefined
    this.#wakeAt = Number.POSITIVE_INFINITY
    return items
  }

  #wake(at: number): void {
    if (at === Number.POSITIVE_INFINITY) return
    this.#timer?.cancel()
    this.#wakeAt = at
    this.#timer = this.#clock.schedule(at - this.#clock.monotonic(), () => this.#look())
  }

  #look(): void {
    const now = this.#clock.monotonic()
    let next = Number.POSITIVE_INFINITY
    const due: Item[] = []
    for (const item of this.#items) {
      if (item.dueAt <= now) due.push(item)
      else if (item.dueAt < next) next = item.dueAt
    }
    this.#timer = undefined
    this.#wakeAt = Number.POSITIVE_INFINITY
    for (const item of due) this.#items.delete(item)
    if (next < this.#wakeAt) this.#wake(next)
    for (const item of due) this.#onDue(item)
  }
}
