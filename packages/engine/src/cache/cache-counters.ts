/** What a cache says of itself. Counts are of this process, since it began. */
export interface CacheStats {
  readonly name: string
  readonly size: number
  /** Entries that are kept at most. */
  readonly limit: number
  readonly hits: number
  readonly misses: number
  /** Entries that went because they were no longer right, or somebody cleared the cache. */
  readonly invalidations: number
  /** Entries that went because there were too many. */
  readonly evictions: number
  /** Misses that another node had read already. */
  readonly secondTierHits: number
}

export class CacheCounters {
  hits = 0
  misses = 0
  invalidations = 0
  evictions = 0
  secondTierHits = 0

  readonly evicted = (): void => {
    this.evictions += 1
  }
}
