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

/** What is noted of a change beside its state and time. */
export interface BreakerNote {
  /** 200 characters of it are kept. */
  readonly reason?: string | undefined
  /** Whose failures it were. */
  readonly nodeId?: string | undefined
  /** Who did it by hand. */
  readonly by?: string | undefined
}

export const MOST_CHANGES = 20
const LONGEST_REASON = 200

/** A reason as it is kept: errors come from outside and may hold what no store takes, such as control characters and halves of surrogate pairs. */
export const notedReason = (reason: string): string =>
  reason
    .slice(0, LONGEST_REASON)
    .replace(/[\p{Cc}\p{Cs}]+/gu, ' ')
    .trim()

/** What a breaker became, when and why. */
export interface BreakerChange extends BreakerName {
  readonly state: BreakerState
  readonly at: number
  readonly reason: string | undefined
  /** Whose failures or probe it was, living or gone. */
  readonly nodeId: string | undefined
  readonly nodeName: string | undefined
  readonly by: string | undefined
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
  trip(trip: BreakerTrip, generation: number | undefined, note?: BreakerNote): Promise<boolean>
  /** Lets one attempt through a breaker whose time is over. Answers the generation that the result must name; `undefined`: not now. */
  probe(name: BreakerName, nodeId: string, probeMs: number): Promise<number | undefined>
  /** The result of a probe: closes the breaker, or opens it again. A result of an older generation changes nothing. */
  settle(name: BreakerName, nodeId: string, generation: number, passed: boolean, reason?: string): Promise<boolean>
  /** Closes it. Answers instances that waited for it and are due now; `undefined`: there is no such breaker. */
  reset(name: BreakerName, note?: BreakerNote): Promise<readonly string[] | undefined>
  list(tenant: string, after: string, limit: number): Promise<readonly StoredBreaker[]>
  /** Steps that wait for them, at most so many for each. */
  waiting(names: readonly BreakerName[], most: number): Promise<readonly BreakerWait[]>
  /** The last twenty of each, newest first. */
  changes(names: readonly BreakerName[]): Promise<readonly BreakerChange[]>
}
