import type { LeaseKey, Share } from './lease-provider.ts'

/** Who is told what becomes of a grant. */
export interface GrantHolder {
  readonly fence: bigint
  onLost(error: Error): void
  onYield(reason: string): void
}

/** Those in this process who wait for the same mutex. */
export interface GrantQueue {
  /** Gives a grant that is being released to the next one here. `false`: it must go to the store. */
  passOn(grant: Grant): boolean
  /** It is held here no longer. */
  left(grant: Grant): void
}

/** What is certain of a lease of `ttlMs` that was asked for at `sentAt`: a margin for clocks that run unlike ours, and a lead for the timer that says so. */
export function certainUntil(sentAt: number, ttlMs: number): number {
  const marginMs = ttlMs * 0.01 + 2
  const leadMs = Math.min(ttlMs * 0.01, 50) + 2
  return sentAt + ttlMs - marginMs - leadMs
}

export interface GrantFacts {
  readonly key: LeaseKey
  readonly ttlMs: number
  readonly renews: boolean
  /** How many fences came with it. */
  readonly fenceCount: number
  readonly share: Share
  readonly fence: bigint
  /** As it stands in the store: `HolderInfo` as JSON. */
  readonly text: string
  readonly queue: GrantQueue | undefined
}

/** A lease as the store gave it to this process. It may go through several hands here, one after the other, each with a fence of its own. */
export class Grant {
  readonly key: LeaseKey
  readonly ttlMs: number
  readonly renews: boolean
  readonly fenceCount: number
  readonly text: string
  readonly queue: GrantQueue | undefined
  share: Share
  fence: bigint
  /** How often it was passed on. */
  passedCount = 0
  /** Until when it is certainly ours, and when to renew it; by `LeaseTime`. */
  validUntil = 0
  renewAt = 0
  /** What the store gave it when it was last asked: less than `ttlMs` between a hand-over and the first renewal. */
  lifeMs = 0
  state: 'held' | 'released' | 'lost' | 'detached' = 'held'
  holder: GrantHolder | undefined

  constructor(facts: GrantFacts) {
    this.key = facts.key
    this.ttlMs = facts.ttlMs
    this.renews = facts.renews
    this.fenceCount = facts.fenceCount
    this.text = facts.text
    this.queue = facts.queue
    this.share = facts.share
    this.fence = facts.fence
  }
}
