/**
 * Which of many waits falls due next, without looking at them all. A heap beside the state, which is made when somebody asks and forgotten
 * with the object of waits that it belongs to: the state itself stays plain data. Waits that have ended, or were handed out, stay
 * in the heap until they surface, or are most of it.
 */
import type { GraphState, OpenWait } from './graph-state.ts'
import { ownMember } from './own-member.ts'

type Waits = GraphState['waits']

/** So few are looked at one by one. */
const FEW = 16

/** Retries are asked for all the time, the others when their time has come. */
export interface DueQueues {
  readonly retries: DueQueue
  readonly others: DueQueue
}

const known = new WeakMap<Waits, DueQueues>()

/** Calls `look` with each open wait in no order, and answers `undefined`; or queues, where there are too many for that. */
export function dueQueues(waits: Waits, look: (opened: OpenWait) => void): DueQueues | undefined {
  const present = known.get(waits)
  if (present !== undefined) return present
  let count = 0
  for (const _ in waits) {
    if (++count <= FEW) continue
    const all = Object.values(waits)
    const made = {
      retries: new DueQueue(waits, all.filter(isRetry)),
      others: new DueQueue(
        waits,
        all.filter((opened) => !isRetry(opened)),
      ),
    }
    known.set(waits, made)
    return made
  }
  for (const step in waits) if (waits[step]!.taken === undefined) look(waits[step]!)
  return undefined
}

/** Its due time is known now, or it can be handed out once more. */
export function enqueue(waits: Waits, opened: OpenWait): void {
  if (opened.dueAt === undefined) return
  const queues = known.get(waits)
  if (queues !== undefined) (isRetry(opened) ? queues.retries : queues.others).push(opened)
}

/** What was handed out may be open again. */
export function forgetQueues(waits: Waits): void {
  known.delete(waits)
}

const isRetry = ({ wait }: OpenWait): boolean => wait.kind === 'retry'

export class DueQueue {
  readonly #waits: Waits
  #heap: OpenWait[] = []
  #mostLength = 0

  constructor(waits: Waits, own: readonly OpenWait[]) {
    this.#waits = waits
    this.#fill(own)
  }

  /** The earliest; it stays. */
  first(): OpenWait | undefined {
    for (;;) {
      const first = this.#heap[0]
      if (first === undefined || this.#isOpen(first)) return first
      this.#takeFirst()
    }
  }

  /** What is due at `now`, in order. They stay. */
  due(now: number): readonly OpenWait[] {
    const due: OpenWait[] = []
    for (let first = this.first(); first !== undefined && first.dueAt! <= now; first = this.first()) {
      this.#takeFirst()
      if (due.at(-1) !== first) due.push(first)
    }
    for (const opened of due) this.push(opened)
    return due
  }

  push(opened: OpenWait): void {
    const heap = this.#heap
    let index = heap.length
    heap.push(opened)
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!isBefore(opened, heap[parent]!)) break
      heap[index] = heap[parent]!
      index = parent
    }
    heap[index] = opened
    if (heap.length > this.#mostLength) this.#fill(heap)
  }

  /** A sorted list is a heap. */
  #fill(waits: readonly OpenWait[]): void {
    const open = waits.filter((opened) => opened.dueAt !== undefined && this.#isOpen(opened))
    this.#heap = [...new Set(open)].sort((a, b) => (isBefore(a, b) ? -1 : 1))
    this.#mostLength = 2 * this.#heap.length + 64
  }

  #takeFirst(): void {
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

  #isOpen(opened: OpenWait): boolean {
    return opened.taken === undefined && ownMember(this.#waits, opened.step) === opened
  }
}

/** No two waits begin with one fact, so none is equal to another. */
export function isBefore(a: OpenWait, b: OpenWait): boolean {
  return a.dueAt! < b.dueAt! || (a.dueAt === b.dueAt && a.seq < b.seq)
}
