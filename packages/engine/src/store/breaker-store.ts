export type BreakerState = 'closed' | 'open' | 'half-open'

export interface StoredBreaker {
  readonly tenant: string
  readonly key: string
  readonly state: BreakerState
  /** Rises with every change. */
  readonly generation: number
  /** Until a probe may be made; 0: it may be made now. */
  readonly openForMs: number
  readonly openedAt: number | undefined
  readonly reason: string | undefined
  /** Until the probe under way is given up; absent: nobody probes. */
  readonly probeForMs: number | undefined
  readonly probeNode: string | undefined
  readonly changedAt: number
}

export interface BreakerName {
  readonly tenant: string
  readonly key: string
}

export interface BreakerTrip extends BreakerName {
  readonly openMs: number
  /** Probes in a row that must go well before it closes. */
  readonly needed: number
  readonly reason: string
}

/** A step that a breaker does not let through. */
export interface BreakerWait extends BreakerName {
  readonly instanceId: string
  readonly step: string
}

/** Breakers on which all nodes agree. A breaker that has no row is closed, and its generation is 0. */
export interface BreakerStore {
  read(names: readonly BreakerName[]): Promise<readonly StoredBreaker[]>
  /** Opens it, if it is closed and still of this generation; `undefined`: whatever it is. `false`: somebody was faster. */
  trip(trip: BreakerTrip, generation: number | undefined): Promise<boolean>
  /** Lets one attempt through a breaker whose time is over. Answers the generation that the result must name; `undefined`: not now. */
  probe(name: BreakerName, nodeId: string, probeMs: number): Promise<number | undefined>
  /** The result of a probe: closes the breaker, or opens it again. A result of an older generation changes nothing. */
  settle(name: BreakerName, nodeId: string, generation: number, passed: boolean): Promise<boolean>
  /** Closes it. Answers instances that waited for it and are due now; `undefined`: there is no such breaker. */
  reset(name: BreakerName): Promise<readonly string[] | undefined>
  list(tenant: string, after: string, limit: number): Promise<readonly StoredBreaker[]>
  /** Steps that wait for them, at most so many for each. */
  waiting(names: readonly BreakerName[], most: number): Promise<readonly BreakerWait[]>
}
