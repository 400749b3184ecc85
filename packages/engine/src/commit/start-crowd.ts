import type { StartItem } from '../store/commit-store.ts'
import { Fenced } from '../store/errors.ts'
import { type QueuedStart, type StartAnswer, unclearStart } from './queued-start.ts'

/**
 * Many starts with one caller, who is answered when all are decided. One that cannot be written is everybody's error; what was written stays.
 * Only where none of them was sent in vain, and none written, is the caller told that nothing has happened.
 */
export class StartCrowd {
  /** The answer that nobody waits for any more. */
  readonly onLate: (answer: StartAnswer, item: StartItem) => void
  readonly #items: readonly StartItem[]
  readonly #answers: StartAnswer[]
  readonly #resolve: (answers: readonly StartAnswer[]) => void
  readonly #reject: (error: unknown) => void
  #open: number
  #withdrawn: { readonly error: unknown; count: number } | undefined
  #doubt: { readonly cause: unknown } | undefined

  constructor(
    items: readonly StartItem[],
    resolve: (answers: readonly StartAnswer[]) => void,
    reject: (error: unknown) => void,
    onLate: (answer: StartAnswer, item: StartItem) => void,
  ) {
    this.#items = items
    this.#answers = new Array<StartAnswer>(items.length)
    this.#open = items.length
    this.#resolve = resolve
    this.#reject = reject
    this.onLate = onLate
    if (items.length === 0) resolve([])
  }

  members(): readonly QueuedStart[] {
    return this.#items.map((item, index) => new CrowdMember(this, item, index))
  }

  answer(index: number, answer: StartAnswer): void {
    this.#answers[index] = answer
    this.#decided()
  }

  fail(error: unknown): void {
    this.#reject(error)
  }

  withdraw(error: unknown): void {
    this.#withdrawn ??= { error, count: 0 }
    this.#withdrawn.count += 1
    this.#decided()
  }

  doubt(cause: unknown): void {
    this.#doubt ??= { cause }
    this.#decided()
  }

  #decided(): void {
    this.#open -= 1
    if (this.#open > 0) return
    if (this.#doubt !== undefined) this.#reject(unclearStart(this.#items, this.#doubt.cause))
    else if (this.#withdrawn === undefined) this.#resolve(this.#answers)
    else if (this.#withdrawn.count === this.#items.length) this.#reject(this.#withdrawn.error)
    else this.#reject(unclearStart(this.#items, this.#withdrawn.error)) // some were written
  }
}

class CrowdMember implements QueuedStart {
  readonly item: StartItem
  readonly #crowd: StartCrowd
  readonly #index: number
  #isDoubtful = false

  constructor(crowd: StartCrowd, item: StartItem, index: number) {
    this.item = item
    this.#crowd = crowd
    this.#index = index
  }

  answer(answer: StartAnswer): void {
    if (this.#isDoubtful) this.#crowd.onLate(answer, this.item)
    else this.#crowd.answer(this.#index, answer)
  }

  /** A node that is gone has nothing against the start. */
  fail(error: unknown): void {
    if (Fenced.is(error)) this.withdraw(error)
    else this.#crowd.fail(error)
  }

  withdraw(error: unknown): void {
    if (!this.#isDoubtful) this.#crowd.withdraw(error)
  }

  doubt(cause: unknown): void {
    if (this.#isDoubtful) return
    this.#isDoubtful = true
    this.#crowd.doubt(cause)
  }
}
