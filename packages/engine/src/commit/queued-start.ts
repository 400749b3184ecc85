import { errorCode, errorMessage } from '@lockstep/base'
import type { StartItem, StartVerdict } from '../store/commit-store.ts'
import { DatabaseUnreachable, StartUnclear } from './errors.ts'

export interface StartAnswer {
  readonly verdict: StartVerdict
  readonly at: number
}

/** A start on its way, and whoever waits for it. */
export interface QueuedStart {
  readonly item: StartItem
  answer(answer: StartAnswer): void
  /** It cannot be written. */
  fail(error: unknown): void
  /** It is not written and never will be: the store is away. */
  withdraw(error: unknown): void
  /** Nobody waits any longer, and it may be written or come to be. Being told twice changes nothing. */
  doubt(cause: unknown): void
}

/** A child is a part of the instance that started it, which waits for it however long the store is away. */
export const isPatient = ({ parentId }: StartItem): boolean => parentId !== undefined

/** One start with a caller of its own. A class: the busiest path makes one each. */
export class SingleStart<Answer = StartAnswer> {
  readonly item: StartItem
  readonly #resolve: (answer: Answer) => void
  readonly #reject: (error: unknown) => void
  readonly #onLate: (answer: Answer, item: StartItem) => void
  #isDoubtful = false

  /** `onLate`: the answer that nobody waits for any more. */
  constructor(
    item: StartItem,
    resolve: (answer: Answer) => void,
    reject: (error: unknown) => void,
    onLate: (answer: Answer, item: StartItem) => void,
  ) {
    this.item = item
    this.#resolve = resolve
    this.#reject = reject
    this.#onLate = onLate
  }

  answer(answer: Answer): void {
    if (this.#isDoubtful) this.#onLate(answer, this.item)
    else this.#resolve(answer)
  }

  fail(error: unknown): void {
    this.#reject(error)
  }

  withdraw(error: unknown): void {
    this.#reject(error)
  }

  doubt(cause: unknown): void {
    this.#isDoubtful = true
    this.#reject(unclearStart([this.item], cause))
  }
}

export function unclearStart(items: readonly StartItem[], cause: unknown): Error {
  const keyed = items.every(({ dedupeKey }) => dedupeKey !== undefined)
  const { instanceId } = items[0]!
  return new StartUnclear({ instanceId, keyed, count: items.length }, { cause })
}

/** Where a provider says it in its own words they name the place and the fix. */
export function unreachable(cause: unknown): unknown {
  if (errorCode(cause) === DatabaseUnreachable.code) return cause
  return new DatabaseUnreachable({ message: errorMessage(cause) }, { cause })
}
