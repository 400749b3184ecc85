import type { Clock, Timer } from '@lockstep/base'

/** Something that falls due. Its neighbours are the table's matter. */
export interface Due {
  /** By the monotonic clock. Must not change while it stands in a table. */
  readonly dueAt: number
  before?: Due | undefined
  after?: Due | undefined
}

/**
 * Things that fall due, with one timer for all of them. They stand in a chain: what is added and taken out again before its time, which is
 * the rule, costs four pointers, no timer, and leaves nothing behind.
 */
export class DueTable<Item extends Due> {
  readonly #clock: Clock
  readonly #onDue: (item: Item) => void
  /** Stands before the first and after the last. */
  readonly #ends: Due = { dueAt: Number.POSITIVE_INFINITY }
  #timer: Timer | undefined
  #wakeAt = Number.POSITIVE_INFINITY

  constructor(clock: Clock, onDue: (item: Item) => void) {
    this.#clock = clock
    this.#onDue = onDue
    this.#ends.before = this.#ends
    this.#ends.after = this.#ends
  }

  add(item: Item): void {
    if (item.after !== undefined) return
    const last = this.#ends.before!
    item.before = last
    item.after = this.#ends
    last.after = item
    this.#ends.before = item
    if (item.dueAt < this.#wakeAt) this.#wake(item.dueAt)
  }

  delete(item: Item): void {
    const { before, after } = item
    if (before === undefined || after === undefined) return
    before.after = after
    after.before = before
    item.before = undefined
    item.after = undefined
  }

  /** Takes everything out, and the timer with it. */
  clear(): Item[] {
    const items = this.#all()
    for (const item of items) this.delete(item)
    this.#timer?.cancel()
    this.#timer = undefined
    this.#wakeAt = Number.POSITIVE_INFINITY
    return items
  }

  #all(): Item[] {
    const items: Item[] = []
    for (let each = this.#ends.after!; each !== this.#ends; each = each.after!) items.push(each as Item)
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
    for (const item of this.#all()) {
      if (item.dueAt <= now) due.push(item)
      else if (item.dueAt < next) next = item.dueAt
    }
    this.#timer = undefined
    this.#wakeAt = Number.POSITIVE_INFINITY
    for (const item of due) this.delete(item)
    if (next < this.#wakeAt) this.#wake(next)
    for (const item of due) this.#onDue(item)
  }
}
