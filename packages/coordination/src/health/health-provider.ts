/** What a store says about its own fitness to keep leases. */
export interface HealthProvider {
  /** Asks the store. Throws `PROVIDER_UNAVAILABLE` when it cannot be reached. */
  probe(): Promise<HealthFacts>
}

export interface HealthFacts {
  /** The store's clock when it answered, milliseconds since 1970. */
  readonly at: number
  readonly server: string
  readonly version: string
  readonly findings: readonly Finding[]
}

export interface Finding {
  /** Stable: `eviction-policy`, `persistence`, `pooler-mode`, `subscription`, `replica`, `round-trip`, `clock-offset`, … */
  readonly check: string
  readonly level: 'ok' | 'warning' | 'error'
  /** What was found, in a sentence. */
  readonly finding: string
  /** What to do about it; absent when all is well. */
  readonly fix?: string
}
