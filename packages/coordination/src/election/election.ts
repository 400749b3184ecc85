import type { HolderInfo, Lease, LostReason } from '../lease/lease.ts'

/**
 * One leader of many candidates, one term after the other. A term lasts until it is lost or resigned: returning from
 * `onElected`, or from the body of a loop over `terms()`, does not end it.
 */
export interface Election {
  readonly name: string
  /** The term of this coordinator, while it leads. */
  readonly term: Term | undefined
  /** Stands for election until `signal` aborts or the coordinator closes; then it resigns, waits for `onElected` to end, and resolves. */
  campaign(campaign: Campaign): Promise<void>
  /** The terms that this process is elected for. Leaving the loop resigns and ends the campaign. */
  terms(options?: { readonly signal?: AbortSignal }): AsyncIterable<Term>
  /** Who leads now, and then every change; `undefined` while nobody does. A slow reader sees the latest, not each. */
  observe(options?: { readonly signal?: AbortSignal }): AsyncIterable<LeaderInfo | undefined>
  leader(): Promise<LeaderInfo | undefined>
  /**
   * Ends the term of a leader that is known to be dead: the next is elected at once instead of when the term has run out. Ends that one term and no
   * later one. A leader that lives nevertheless learns it from its next renewal. `false`: whoever leads is not dead, or nobody does.
   */
  depose(isDead: (leader: LeaderInfo) => boolean): Promise<boolean>
  /**
   * Ends the term of this coordinator, from outside of its work: resolves when the work has ended (or the grace is over) and
   * the office is free. A campaign goes on, behind those who wait. `false`: it did not lead.
   */
  resign(): Promise<boolean>
}

export interface Campaign {
  readonly signal?: AbortSignal
  /** May run for the whole term: stop when `term.signal` aborts. Throwing resigns; the campaign goes on after a pause that grows. */
  onElected(term: Term): Promise<void> | void
  /** Called once for every term, as soon as it has ended here. */
  onRevoked?(term: Term, why: TermEndReason): void
}

/** Time in office. `fence` and `term` are one number, which rises from term to term: hand it to whatever the leader changes. */
export interface Term extends Omit<Lease, 'ok' | 'release' | 'detach'> {
  /** The election's name. */
  readonly name: string
  readonly term: bigint
  /** Aborts with `TERM_ENDED`, before another leader can have been elected, and on resignation. */
  readonly signal: AbortSignal
  /** Gives the office up at once, whatever the work still does: for the work itself to call. Resolves when the office is free. */
  resign(): Promise<void>
}

export type TermEndReason =
  | LostReason
  /** `resign`, the end of the campaign's signal, or leaving the loop. */
  | 'resigned'
  /** `onElected` threw. */
  | 'failed'
  /** Fewer members than `minMembers` live. */
  | 'too-few-members'

export interface LeaderInfo extends HolderInfo {
  readonly term: bigint
  /** Elected at, by the store's clock, in milliseconds since 1970. */
  readonly since: number
  /** Whether it is this coordinator. */
  readonly self: boolean
}
