/** Who waits for whom. An actor is `meta.owner` of a lease where its caller gave one, otherwise the whole process. */
export interface WaitForGraph {
  readonly waits: readonly Wait[]
  readonly deadlocks: readonly Deadlock[]
  /** More locks or waiters exist than were looked at: a circle may have been missed, those reported are real. */
  readonly truncated: boolean
}

export interface Wait {
  readonly waiter: string
  readonly lock: string
  /** Those who must give something up before `waiter` gets it: the holders in its way, and those who wait before it. */
  readonly behind: readonly string[]
}

export interface Deadlock {
  /** One circle, each actor waiting for the next and the last for the first. */
  readonly circle: readonly { readonly actor: string; readonly waitsFor: string }[]
  /** All actors that this circle keeps from going on, and that keep it. */
  readonly actors: readonly string[]
  /**
   * `true`: every actor named itself (`meta: { owner }`), so this cannot end by itself. `false`: an actor of it is a
   * process, which may have held the one thing and waited for the other in two independent tasks.
   */
  readonly certain: boolean
  /** Seen twice, with the same leases and the same places. */
  readonly finding: string
}
