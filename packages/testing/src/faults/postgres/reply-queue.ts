/** A request that the server answers, and how its answer is told from the next one's. */
export interface Awaited<Exchange> {
  readonly kind: AwaitedKind
  readonly exchange?: Exchange
  /** Takes back what the request changed in our books, when the server turned it down or skipped it. */
  readonly undo?: () => void
}

/** `copy-end` has no answer of its own; it marks where Sync counts again. */
export type AwaitedKind =
  | 'encryption-answer'
  | 'startup'
  | 'query'
  | 'parse'
  | 'bind'
  | 'describe'
  | 'execute'
  | 'close'
  | 'sync'
  | 'copy-end'

/** Message types that end the answer to an extended-query request. */
const ANSWER_ENDS: Readonly<Record<string, AwaitedKind>> = {
  '1': 'parse',
  '2': 'bind',
  '3': 'close',
  T: 'describe',
  n: 'describe',
  C: 'execute',
  I: 'execute',
  s: 'execute',
}

/** Notices, notifications and parameter changes come whenever they like. */
const UNASKED = new Set(['A', 'N', 'S'])

const ENDS_WITH_READY: ReadonlySet<AwaitedKind> = new Set(['startup', 'query', 'sync'])

/**
 * Says which request a backend message answers. Answers come in the order of requests. After an error in the extended
 * protocol the server skips everything up to the next Sync, whether the client has sent that already or not; and while
 * it takes in COPY data it ignores Sync.
 */
export class ReplyQueue<Exchange> {
  readonly #queue: Awaited<Exchange>[] = []
  #skipping = false
  #copyingIn = false

  get head(): Awaited<Exchange> | undefined {
    return this.#queue[0]
  }

  /** `false`: the server is going to skip this request. */
  push(request: Awaited<Exchange>): boolean {
    if (request.kind === 'copy-end') this.#copyingIn = false
    if (request.kind === 'sync') {
      if (this.#copyingIn) return true
      this.#skipping = false
    }
    if (this.#skipping) {
      request.undo?.()
      return false
    }
    this.#queue.push(request)
    return true
  }

  /** The head got its whole answer. */
  answered(): void {
    this.#queue.shift()
  }

  /** Moves on by one message: the request it answers, and those that an error made the server skip. */
  advance(type: string): { readonly owner?: Awaited<Exchange>; readonly skipped: readonly Awaited<Exchange>[] } {
    if (UNASKED.has(type)) return { skipped: [] }
    while (this.head?.kind === 'copy-end') this.#queue.shift()
    if (type === 'Z') this.#dropUntil((each) => ENDS_WITH_READY.has(each.kind))
    const owner = this.head
    if (owner === undefined) return { skipped: [] }
    if (type === 'E') return { owner, skipped: this.#fail(owner) }
    if (type === 'G') this.#startCopyIn()
    else if (type === 'Z' || ANSWER_ENDS[type] === owner.kind) this.#queue.shift()
    return { owner, skipped: [] }
  }

  #fail(owner: Awaited<Exchange>): readonly Awaited<Exchange>[] {
    this.#copyingIn = false
    // A failed Query, Sync or login ends with its own ReadyForQuery, or with the connection.
    if (ENDS_WITH_READY.has(owner.kind)) return []
    const dropped = this.#dropUntil((each) => each.kind === 'sync')
    this.#skipping = this.#queue.length === 0
    for (const each of [...dropped].reverse()) each.undo?.()
    return dropped.slice(1)
  }

  #startCopyIn(): void {
    const end = this.#queue.findIndex((each) => each.kind === 'copy-end')
    const stop = end === -1 ? this.#queue.length : end
    for (let at = stop - 1; at > 0; at--) if (this.#queue[at]?.kind === 'sync') this.#queue.splice(at, 1)
    this.#copyingIn = end === -1
  }

  #dropUntil(found: (each: Awaited<Exchange>) => boolean): readonly Awaited<Exchange>[] {
    const at = this.#queue.findIndex(found)
    return this.#queue.splice(0, at === -1 ? this.#queue.length : at)
  }
}
