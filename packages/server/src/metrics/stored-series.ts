/**
 * Under which short name each series stands in a row of the store: such a row is written every minute. A name stays what it is, for there are rows
 * of a month ago that have it. Behind a colon comes the value of one label, or the upper bound of a bucket of its own: only what came is written.
 */
import { LONG, SHORT } from './buckets.ts'
import { EVENT_LOOP } from './history.ts'
import type { Labels } from './series-table.ts'

export interface StoredSeries {
  readonly name: string
  /** Of those that are added up. */
  readonly labels?: Labels
  /** The label that is kept apart. */
  readonly by?: string
  /** Of a histogram. */
  readonly bounds?: readonly number[]
  /** A node that only lives counts these as well, and writes no row because of them. */
  readonly idle?: true
}

export const STORED: Readonly<Record<string, StoredSeries>> = {
  started: { name: 'lockstep_instances_started_total' },
  ended: { name: 'lockstep_instances_ended_total', by: 'status' },
  duration: { name: 'lockstep_instance_duration_seconds_bucket', labels: { status: 'completed' }, bounds: LONG },
  step: { name: 'lockstep_step_duration_seconds_bucket', bounds: SHORT },
  failed: { name: 'lockstep_steps_failed_total' },
  queue: { name: 'lockstep_queue_age_seconds_bucket', bounds: LONG },
  timer: { name: 'lockstep_timer_lateness_seconds_bucket', bounds: SHORT },
  lock: { name: 'lockstep_lock_requests_total' },
  locked: { name: 'lockstep_lock_wait_seconds_count' },
  lockSeconds: { name: 'lockstep_lock_wait_seconds_sum' },
  hit: { name: 'lockstep_cache_hits_total', by: 'cache', idle: true },
  miss: { name: 'lockstep_cache_misses_total', by: 'cache', idle: true },
  database: { name: 'lockstep_database_statement_duration_seconds_bucket', bounds: SHORT, idle: true },
}

/** How many readings the sums of levels are of. */
export const READINGS = 'readings'

/** What has a value and does not come: written with every row, and read as the mean of a node. */
export const LEVELS: Readonly<Record<string, string>> = {
  held: 'lockstep_instances_held',
  inFlight: 'lockstep_pool_in_flight',
  waiting: 'lockstep_pool_waiting',
  loop: EVENT_LOOP,
  memory: 'process_resident_memory_bytes',
}
