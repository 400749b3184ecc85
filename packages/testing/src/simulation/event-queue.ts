/** Something that happens at a moment of virtual time. Entries of one moment happen in the order in which they were added. */
export interface QueuedEvent {
  at: number
  readonly order: number
  cancelled: boolean
}

/** A binary heap: the earliest first. Cancelled entries stay until they surface, or until they are most of it. */
export class EventQueue<E extends QueuedEvent> {
  #heap: E[] = []
  #cancelled = 0

  get size(): number {
    return this.#heap.length - this.#cancelled
  }

  push(event: E): void {
    const heap = this.#heap
    let index = heap.length
    heap.push(event)
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!isBefore(event, heap[parent]!)) break
      heap[index] = heap[parent]!
      index = parent
    }
    heap[index] = event
  }

  /** The earliest that is not cancelled; it stays. */
  peek(): E | undefined {
    while (this.#heap[0]?.cancelled === true) {
      this.#take()
      this.#cancelled -= 1
    }
    return this.#heap[0]
  }

  pop(): E | undefined {
    const first = this.peek()
    if (first !== undefined) this.#take()
    return first
  }

  /** Call when an entry that is still here was marked as cancelled. */
  noteCancelled(): void {
    this.#cancelled += 1
    if (this.#cancelled < 64 || this.#cancelled * 2 < this.#heap.length) return
    this.discard(() => false)
  }

  /** Takes out all that `isUnwanted` picks, cancelled ones too. */
  discard(isUnwanted: (event: E) => boolean): void {
    const left = this.#heap.filter((event) => !event.cancelled && !isUnwanted(event))
    this.#heap = []
    this.#cancelled = 0
    for (const event of left) this.push(event)
  }

  #take(): void {
    const heap = this.#heap
    const last = heap.pop()!
    if (heap.length === 0) return
    let index = 0
    for (;;) {
      let child = index * 2 + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1
      if (!isBefore(heap[child]!, last)) break
      heap[index] = heap[child]!
      index = child
    }
    heap[index] = last
  }
}

function isBefore(a: QueuedEvent, b: QueuedEvent): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}
