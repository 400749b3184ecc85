import type { Claim } from './agenda-store.ts'

export interface ResumeRequest {
  readonly tenant: string
  readonly instanceId: string
  /** Id or name of the bookmark; absent: the only one that is open. */
  readonly bookmark: string | undefined
  /** JSON text. */
  readonly payload: string
}

export type ResumeVerdict =
  /** `claims`: of the taker, where there was one. */
  | { readonly kind: 'resumed'; readonly bookmarkId: string; readonly claims?: readonly Claim[] }
  | { readonly kind: 'already-resumed' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'not-found' }
  /** The instance is being worked on and may yet open such a bookmark: ask again. */
  | { readonly kind: 'in-progress' }
  /** Several are open and none was named. */
  | { readonly kind: 'ambiguous'; readonly names: readonly string[] }

/** Who takes what becomes due by a message, in the same transaction, where nobody has it yet. */
export interface Taker {
  readonly nodeId: string
  readonly queues: readonly string[]
}

export interface Published {
  /** How many of those that wait it has reached. */
  readonly matched: number
  /** Whether graphs may start by it. */
  readonly starts: boolean
  /** Of the taker, where there was one. */
  readonly claims?: readonly Claim[]
}

export interface Message {
  readonly tenant: string
  readonly instanceId: string
  readonly kind: string
  /** JSON text. */
  readonly payload: string
  /** A second message with the same key is the same message. */
  readonly dedupeKey: string | undefined
}

export interface PublishedEvent {
  readonly tenant: string
  readonly id: string
  readonly name: string
  readonly correlationId: string | undefined
  /** JSON text. */
  readonly payload: string
  readonly ttlMs: number
}

/** What reaches instances from outside. Every method is one transaction; its answer comes after the commit. */
export interface StimulusStore {
  /** The one point at which a bookmark is consumed (P3). */
  resume(request: ResumeRequest, taker?: Taker): Promise<ResumeVerdict>
  /** `false`: no such instance, or it has ended. */
  send(message: Message): Promise<boolean>
  /** Keeps the event (P1), and delivers it to at most `matchLimit` of those that wait for it now. The taker gets some of them. */
  publish(event: PublishedEvent, matchLimit?: number, taker?: Taker): Promise<Published>
  /** Delivers an event to at most `limit` of those that wait for it; call again while it answers `limit`. */
  match(tenant: string, eventId: string, limit: number): Promise<number>
  /**
   * Takes events that may have missed a bookmark committed at the same moment, once none can have: matches them a last
   * time and settles them. Answers how many still wait for their moment.
   */
  settle(limit: number): Promise<{ readonly settled: number; readonly matched: number; readonly open: number }>
}
