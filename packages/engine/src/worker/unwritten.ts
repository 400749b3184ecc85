import { SeldomMap } from '@lockstep/base'
import type { StepKey } from '../journal/fact.ts'
import type { Disposition } from '../store/commit-store.ts'
import { Durability } from './durability.ts'
import type { Change, Posture, Tentative } from './execution.ts'
import type { HeldStart } from './holder.ts'
import { PendingChange } from './pending-change.ts'

/** What was sent to the store and is not answered yet. */
export interface Flight {
  readonly change: PendingChange
  readonly posture: Posture
  readonly then: Disposition
  /** Present: nothing of it is true before the store has agreed. */
  readonly tentative: Tentative | undefined
  readonly recordedCount: number
}

const noBookmarks = (): readonly string[] => []

/** What of one instance is not written yet: recorded, proposed, or on its way. One thing is on its way at a time. */
export class Unwritten {
  /** Bookmarks that are open or about to be, with the step that waits there. */
  readonly bookmarks = new SeldomMap<string, StepKey>()
  readonly #durability = new Durability()
  #pending = new PendingChange()
  #tentative: Tentative | undefined
  #flight: Flight | undefined
  /** Messages whose consumption is written. An inbox that was read before that, and arrives after it, brings them again. */
  #consumed = new Set<string>()
  #landed: (() => void)[] | undefined

  constructor(bookmarks: HeldStart['bookmarks']) {
    for (const [id, step] of bookmarks) this.bookmarks.set(id, step)
  }

  get isIdle(): boolean {
    return this.#flight === undefined && this.#pending.isEmpty && this.#tentative === undefined
  }

  /** What goes with the next checkpoint. */
  get pending(): PendingChange {
    return this.#pending
  }

  get tentative(): Tentative | undefined {
    return this.#tentative
  }

  get flight(): Flight | undefined {
    return this.#flight
  }

  /** `false`: there was nothing to it, such as the end of a wait that had no bookmark. */
  record(change: Change): boolean {
    if (change.opens !== undefined) for (const { id, step } of change.opens) this.bookmarks.set(id, step)
    this.#pending.add(change, this.#bookmarksAt(change.closes))
    // Counting what is never sent would leave those waiting who must not go on before it is durable.
    if (this.#pending.isEmpty) return false
    this.#durability.recorded()
    return true
  }

  /** `false`: this message is being consumed, or was. */
  consume(messageId: string): boolean {
    if (this.#consumed.has(messageId)) return false
    if (this.#pending.consumes.includes(messageId) || this.#flight?.change.consumes.includes(messageId)) return false
    this.#pending.consumes.push(messageId)
    this.#durability.recorded()
    return true
  }

  /** An inbox was read: what it has no more will not come again. */
  heard(messages: readonly { readonly id: string }[]): void {
    if (this.#consumed.size === 0) return
    this.#consumed = new Set(messages.flatMap(({ id }) => (this.#consumed.has(id) ? [id] : [])))
  }

  propose(tentative: Tentative): void {
    this.#tentative = tentative
  }

  /** A time-out that was not put to the store yet gives way: who was first is open again. */
  withdrawTentative(): void {
    const tentative = this.#tentative
    this.#tentative = undefined
    tentative?.discard()
  }

  durable(): Promise<void> {
    return this.#durability.reached()
  }

  /** Settles when what is on its way was answered, or what goes next. */
  landed(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#landed === undefined) this.#landed = [resolve]
      else this.#landed.push(resolve)
    })
  }

  takePending(): PendingChange {
    const change = this.#pending
    this.#pending = new PendingChange()
    return change
  }

  takeTentative(tentative: Tentative): PendingChange {
    const change = new PendingChange()
    change.add(tentative, this.#bookmarksAt(tentative.closes))
    this.#tentative = undefined
    return change
  }

  send(change: PendingChange, posture: Posture, then: Disposition, tentative: Tentative | undefined): void {
    this.#flight = { change, posture, then, tentative, recordedCount: this.#durability.recordedCount }
  }

  /** The store has answered. */
  land(): Flight | undefined {
    const flight = this.#flight
    this.#flight = undefined
    const waiting = this.#landed
    this.#landed = undefined
    if (waiting !== undefined) for (const resolve of waiting) resolve()
    return flight
  }

  /** Those who waited for this flight may go on. */
  reached(flight: Flight): void {
    for (const id of flight.change.consumes) this.#consumed.add(id)
    this.#durability.reach(flight.recordedCount)
  }

  /** All that was recorded is given up, but for the messages that were heard. */
  replaceBy(consumes: string[]): void {
    this.#pending = new PendingChange()
    this.#pending.consumes = consumes
    this.#tentative = undefined
  }

  /** Whoever waits for something to be durable waits for ever. */
  abandon(): void {
    this.#durability.abandon()
  }

  /** One look at the bookmarks for all of `steps`. */
  #bookmarksAt(steps: readonly StepKey[] = []): (step: StepKey) => readonly string[] {
    if (steps.length === 0) return noBookmarks
    const found = new Map<StepKey, string[]>(steps.map((step) => [step, []]))
    for (const [id, at] of this.bookmarks) found.get(at)?.push(id)
    return (step) => found.get(step) ?? []
  }
}
