/**
 * What a node counted lately, in memory: a reading every ten seconds for the last hour, one a minute for the last day. Both rings have a
 * fixed size and the number of series has a bound: some megabytes at most, whatever runs. It ends with the process.
 */
import { performance } from 'node:perf_hooks'
import type { Clock, Timer } from '@lockstep/base'
import type { Registry } from 'prom-client'
import { type Labels, type Sampled, SeriesTable } from './series-table.ts'

const FINE_MS = 10_000
const COARSE_MS = 60_000
const FINE_COUNT = 361
const COARSE_COUNT = 1_441
const MOST_SERIES = 400

const KEPT: readonly RegExp[] = [
  /^lockstep_instances_(?:started_total|ended_total|held)$/,
  /^lockstep_(?:instance_duration|step_duration|queue_age|timer_lateness|database_statement_duration)_seconds_bucket$/,
  /^lockstep_steps_failed_total$/,
  /^lockstep_lock_requests_total$/,
  /^lockstep_lock_wait_seconds_(?:sum|count)$/,
  /^lockstep_cache_(?:hits|misses)_total$/,
  /^lockstep_pool_(?:in_flight|waiting)$/,
  /^process_resident_memory_bytes$/,
]
/** Share of time that the event loop was busy since the reading before. */
export const EVENT_LOOP = 'event_loop'

export class MetricsHistory {
  readonly table = new SeriesTable(MOST_SERIES)
  readonly #registry: Pick<Registry, 'getMetricsAsJSON'>
  readonly #clock: Clock
  readonly #fine: Sampled[] = []
  readonly #coarse: Sampled[] = []
  #loop = performance.eventLoopUtilization()
  #timer: Timer | undefined

  constructor(registry: Pick<Registry, 'getMetricsAsJSON'>, clock: Clock) {
    this.#registry = registry
    this.#clock = clock
  }

  run(): void {
    void this.#keep()
    this.#timer = this.#clock.schedule(FINE_MS, () => this.run())
  }

  stop(): void {
    this.#timer?.cancel()
  }

  /** Readings that cover `rangeMs` up to now, oldest first: the one before the range, if there is one, and one of now. */
  async read(rangeMs: number): Promise<readonly Sampled[]> {
    const now = await this.take()
    const ring = rangeMs <= FINE_MS * (FINE_COUNT - 1) ? this.#fine : this.#coarse
    const first = ring.findLastIndex(({ at }) => at <= now.at - rangeMs)
    return [...ring.slice(Math.max(0, first)).filter(({ at }) => at < now.at), now]
  }

  /** A reading of now, which is not kept. */
  async take(): Promise<Sampled> {
    const found: [place: number, value: number][] = []
    const add = (name: string, labels: Labels, value: number): void => {
      const place = this.table.place(name, labels)
      if (place !== undefined) found.push([place, value])
    }
    add(EVENT_LOOP, {}, performance.eventLoopUtilization(this.#loop).utilization)
    for (const metric of await this.#registry.getMetricsAsJSON())
      for (const { labels = {}, value, ...rest } of metric.values) {
        const name = (rest as { readonly metricName?: string }).metricName ?? metric.name
        if (KEPT.some((each) => each.test(name))) add(name, labels as Labels, value)
      }
    const values = new Float64Array(this.table.size)
    for (const [place, value] of found) values[place] = value
    return { at: this.#clock.now(), values }
  }

  async #keep(): Promise<void> {
    const sample = await this.take()
    this.#loop = performance.eventLoopUtilization()
    push(this.#fine, sample, FINE_COUNT)
    const last = this.#coarse.at(-1)
    // A timer that comes a little early still makes its minute.
    if (last === undefined || sample.at - last.at >= COARSE_MS - FINE_MS / 2) push(this.#coarse, sample, COARSE_COUNT)
  }
}

function push(ring: Sampled[], sample: Sampled, most: number): void {
  ring.push(sample)
  if (ring.length > most) ring.shift()
}
