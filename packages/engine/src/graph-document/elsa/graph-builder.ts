import type { Json } from '@lockstep/base'
import type { ActivityDocument, ConnectionDocument, GraphBody } from '../../graph/document.ts'

/** A way out of a piece of a graph. */
export interface Exit {
  readonly from: string
  /** `undefined`: `done`. */
  readonly outcome?: string | undefined
}

/** What one Elsa activity became: where it begins, and where it can be left. */
export interface Fragment {
  /** None for what does nothing by itself. */
  readonly entry: string | undefined
  readonly exits: readonly Exit[]
  /** Ways out that have a name of their own, by that name in lower case. */
  readonly ports?: ReadonlyMap<string, readonly Exit[]>
}

export const NOTHING: Fragment = { entry: undefined, exits: [] }

/** One graph under construction. */
export class GraphBuilder {
  readonly #activities: { -readonly [Key in keyof ActivityDocument]: ActivityDocument[Key] }[] = []
  readonly #connections: ConnectionDocument[] = []
  readonly #known = new Set<string>()
  readonly #targets = new Set<string>()

  add(activity: ActivityDocument & { readonly layout?: Json }): string {
    this.#activities.push({ ...activity })
    return activity.id
  }

  connect(exits: readonly Exit[], to: string): void {
    for (const { from, outcome } of exits) {
      const key = JSON.stringify([from, outcome, to])
      if (this.#known.has(key)) continue
      this.#known.add(key)
      this.#targets.add(to)
      this.#connections.push({ from, ...(outcome !== undefined && { outcome }), to })
    }
  }

  hasIncoming(id: string): boolean {
    return this.#targets.has(id)
  }

  /** Takes the first of several incoming ways instead of waiting for all. */
  joinAny(id: string): void {
    const found = this.#activities.find((each) => each.id === id)
    if (found !== undefined) found.join = 'any'
  }

  build(): GraphBody {
    return {
      activities: this.#activities,
      ...(this.#connections.length > 0 && { connections: this.#connections }),
    }
  }
}
