/** Metrics that somebody else keeps already: they are asked when `/metrics` is. */
import type { LockStats } from '@lockstep/coordination'
import type { Registry } from 'prom-client'
import { expose, one, type Sample } from './exposition.ts'
import { contendedOf, toldLocks } from './told-locks.ts'

export interface PoolStats {
  readonly name: string
  readonly openCount: number
  readonly ownedCount: number
  readonly inFlightCount: number
  readonly waitingCount: number
}

export interface CacheStats {
  readonly name: string
  readonly hits: number
  readonly misses: number
  readonly invalidations: number
  readonly size: number
}

export interface MetricSources {
  readonly node: Readonly<Record<'cluster' | 'version', string>>
  /** Instances in hand. */
  readonly heldCount: () => number
  readonly pools: () => readonly PoolStats[]
  /** `undefined`: nobody has asked for a lock on this node yet. */
  readonly locks: () => readonly LockStats[] | undefined
  readonly caches?: (() => readonly CacheStats[]) | undefined
  readonly streams: () => number
  /** Of the whole cluster. */
  readonly dueAge: () => Promise<readonly Sample[]>
  /** Seconds, by what was asked. */
  readonly roundTrips: () => ReadonlyMap<string, number>
}

/** Names of locks are cut to patterns; those beyond this are told as one. */
const MOST_PATTERNS = 50

export function exposeSources(registry: Registry, sources: MetricSources): void {
  const gauge = (name: string, help: string, read: () => readonly Sample[] | Promise<readonly Sample[]>): void =>
    expose(registry, 'gauge', name, help, read)
  const counter = (name: string, help: string, read: () => readonly Sample[]): void =>
    expose(registry, 'counter', name, help, read)

  gauge('lockstep_node_info', 'Always 1: the labels say what this node is of.', () => [
    { labels: sources.node, value: 1 },
  ])
  gauge('lockstep_instances_held', 'Instances that this node has in hand.', () => one(sources.heldCount()))
  gauge(
    'lockstep_queue_oldest_due_seconds',
    'How long the first of what is due in the cluster, and nobody has in hand, has waited; 0 where nothing is. Every node says the same.',
    sources.dueAge,
  )
  gauge('lockstep_live_streams', 'Open live streams.', () => one(sources.streams()))
  gauge('lockstep_round_trip_seconds', 'Last measured round trip, by what was asked.', () =>
    [...sources.roundTrips()].map(([target, value]) => ({ labels: { target }, value })),
  )

  const pools = (read: (pool: PoolStats) => number) => (): readonly Sample[] =>
    sources.pools().map((pool) => ({ labels: { pool: pool.name }, value: read(pool) }))
  gauge(
    'lockstep_pool_connections',
    'Open connections, by pool: those to the database, and of Redis the one that locks use.',
    pools((pool) => pool.openCount),
  )
  gauge(
    'lockstep_pool_owned',
    'Connections that a transaction has for itself.',
    pools((pool) => pool.ownedCount),
  )
  gauge(
    'lockstep_pool_in_flight',
    'Statements sent and not answered.',
    pools((pool) => pool.inFlightCount),
  )
  gauge(
    'lockstep_pool_waiting',
    'Callers that wait for a connection.',
    pools((pool) => pool.waitingCount),
  )

  const told = toldLocks(MOST_PATTERNS)
  const locks = (read: (stats: LockStats) => readonly Sample[]) => (): readonly Sample[] =>
    told(sources.locks() ?? []).flatMap((stats) =>
      read(stats).map((sample) => ({ ...sample, labels: { lock: stats.pattern, ...sample.labels } })),
    )
  counter(
    'lockstep_lock_requests_total',
    'What became of those who asked for a lock, by pattern of names.',
    locks((stats) =>
      (['granted', 'refused', 'timedOut', 'failed'] as const).map((result) => ({
        labels: { result },
        value: stats[result],
      })),
    ),
  )
  counter(
    'lockstep_locks_lost_total',
    'Leases that were lost before they were released.',
    locks(({ lost }) => one(lost)),
  )
  counter(
    'lockstep_lock_contended_total',
    'Those who did not get a lock at once: they waited, were refused or gave up.',
    locks((stats) => one(contendedOf(stats))),
  )
  gauge(
    'lockstep_lock_contention_ratio',
    'Share of those who did not get a lock at once, since the node began.',
    locks(({ contention }) => one(contention)),
  )
  for (const kind of ['wait', 'hold'] as const) {
    const name = `lockstep_lock_${kind}_seconds`
    expose(
      registry,
      'summary',
      name,
      kind === 'wait' ? 'From asking for a lock to having it.' : 'How long locks were held.',
      locks((stats) => summary(name, kind === 'wait' ? stats.waitMs : stats.holdMs)),
    )
  }

  const { caches } = sources
  if (caches === undefined) return
  const cache = (read: (stats: CacheStats) => number) => (): readonly Sample[] =>
    caches().map((stats) => ({ labels: { cache: stats.name }, value: read(stats) }))
  counter(
    'lockstep_cache_hits_total',
    'Answers from a cache.',
    cache((stats) => stats.hits),
  )
  counter(
    'lockstep_cache_misses_total',
    'Answers that had to be read.',
    cache((stats) => stats.misses),
  )
  counter(
    'lockstep_cache_invalidations_total',
    'Entries dropped by news.',
    cache((stats) => stats.invalidations),
  )
  gauge(
    'lockstep_cache_entries',
    'Entries of a cache.',
    cache((stats) => stats.size),
  )
}

function summary(name: string, { p50, p95, p99, count, mean }: LockStats['waitMs']): readonly Sample[] {
  const quantiles = { '0.5': p50, '0.95': p95, '0.99': p99 }
  return [
    ...Object.entries(quantiles).map(([quantile, ms]) => ({ labels: { quantile }, value: ms / 1_000 })),
    { metricName: `${name}_sum`, value: (mean * count) / 1_000 },
    { metricName: `${name}_count`, value: count },
  ]
}
