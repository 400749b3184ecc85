import { type Fact, factToRow, type StepKey } from '../journal/fact.ts'
import type { FactRow, NewBookmark, NewEvent, NewIncident } from '../store/commit-store.ts'
import type { Change } from './execution.ts'

/** What has gathered for the next commit of one instance. */
export class PendingChange {
  facts: FactRow[] = []
  opens: NewBookmark[] = []
  /** Bookmark ids. */
  closes: string[] = []
  /** Inbox message ids. */
  consumes: string[] = []
  publishes: NewEvent[] = []
  incidents: NewIncident[] = []
  correlationId: string | undefined

  get isEmpty(): boolean {
    return (
      this.facts.length === 0 && this.consumes.length === 0 && this.closes.length === 0 && this.incidents.length === 0
    )
  }

  add(change: Change, bookmarksOf: (step: StepKey) => readonly string[]): void {
    for (const fact of change.facts ?? []) this.addFact(fact)
    if (change.opens !== undefined) this.opens.push(...change.opens)
    if (change.closes !== undefined) this.close(change.closes.flatMap(bookmarksOf))
    if (change.publishes !== undefined) this.publishes.push(...change.publishes)
    if (change.incidents !== undefined) this.incidents.push(...change.incidents)
    if (change.correlationId !== undefined) this.correlationId = change.correlationId
  }

  /** Bookmarks that were not written yet need not be. */
  close(ids: Iterable<string>): void {
    const given = [...ids]
    if (given.length === 0) return
    const closing = new Set(given)
    this.opens = this.opens.filter(({ id }) => !closing.delete(id))
    this.closes.push(...closing)
  }

  addFact(fact: Fact): void {
    this.facts.push(factToRow(fact))
  }

  /** Puts back what was taken and refused, before what came since. */
  restore(taken: PendingChange): void {
    this.facts = [...taken.facts, ...this.facts]
    this.opens = [...taken.opens, ...this.opens]
    this.closes = [...taken.closes, ...this.closes]
    this.consumes = [...taken.consumes, ...this.consumes]
    this.publishes = [...taken.publishes, ...this.publishes]
    this.incidents = [...taken.incidents, ...this.incidents]
    this.correlationId ??= taken.correlationId
  }
}
