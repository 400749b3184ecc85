import { type Deferred, deferred } from '@lockstep/base'
import type { ActiveTerm } from './active-term.ts'

/** The terms that one coordinator serves, whichever of its objects stood for them. */
export class Offices {
  readonly #terms = new Map<string, ActiveTerm>()
  #change: Deferred<void> = deferred()

  current(lockName: string): ActiveTerm | undefined {
    return this.#terms.get(lockName)
  }

  enter(lockName: string, term: ActiveTerm): void {
    this.#terms.set(lockName, term)
    this.#changed()
  }

  leave(lockName: string, term: ActiveTerm): void {
    if (this.#terms.get(lockName) === term) this.#terms.delete(lockName)
    this.#changed()
  }

  /** Settles with the next change of any office: those who observe look at once. */
  get change(): Promise<void> {
    return this.#change.promise
  }

  #changed(): void {
    this.#change.resolve()
    this.#change = deferred()
  }
}
