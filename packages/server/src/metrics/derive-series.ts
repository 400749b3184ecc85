/** Curves from readings of counters and histograms: rates and quantiles of what came between one reading and the next. Pure. */
import { bucketQuantile } from './bucket-quantile.ts'
import { EVENT_LOOP } from './history.ts'
import { type Labels, type Sampled, type SeriesTable, sumAt } from './series-table.ts'
import { READINGS } from './stored-series.ts'

/** `null`: nothing came, or it cannot be said. */
export type Curve = readonly (number | null)[]

export interface Derived {
  /** End of each step, milliseconds since 1970. */
  readonly at: readonly number[]
  readonly curves: Readonly<Record<string, Curve>>
  /** Over the whole range. */
  readonly totals: Readonly<Record<string, number | null>>
}

type Measured = Record<string, number | null>

const MINUTE = 60_000
const ENDED = 'lockstep_instances_ended_total'
const STARTED = 'lockstep_instances_started_total'
const HITS = 'lockstep_cache_hits_total'
const bucketsOf = (name: string): string => `lockstep_${name}_seconds_bucket`
const quantiles = { P50: 0.5, P95: 0.95, P99: 0.99 } as const
const completedOnly: Labels = { status: 'completed' }

/** At most `most` steps: readings between them are passed over, which loses nothing of counters and histograms. */
export function deriveSeries(table: SeriesTable, samples: readonly Sampled[], most: number): Derived {
  const [first] = samples
  const last = samples.at(-1)
  if (first === undefined || last === undefined || samples.length < 2) return { at: [], curves: {}, totals: {} }
  const every = Math.ceil((samples.length - 1) / most)
  const kept = samples.filter((_, index) => (samples.length - 1 - index) % every === 0)
  const readings = kept[0] === first ? kept : [first, ...kept]
  const steps = readings.slice(1).map((sample, index) => {
    const between = new Between(table, readings[index]!, sample)
    return { ...between.rates(), ...between.shares(), ...between.levels() }
  })
  const whole = new Between(table, first, last)
  return {
    at: readings.slice(1).map(({ at }) => at),
    curves: Object.fromEntries(
      Object.keys(steps.at(-1)!).map((name) => [name, steps.map((step) => step[name] ?? null)]),
    ),
    totals: { ...whole.counts(), ...whole.shares() },
  }
}

/** What is measured between two readings. */
class Between {
  readonly #table: SeriesTable
  readonly #a: Sampled
  readonly #b: Sampled

  constructor(table: SeriesTable, a: Sampled, b: Sampled) {
    this.#table = table
    this.#a = a
    this.#b = b
  }

  counts(): Measured {
    const ended = (status: string): number => this.#came(ENDED, { status })
    return {
      ...{ started: this.#came(STARTED), completed: ended('completed'), faulted: ended('faulted') },
      ...{ cancelled: ended('cancelled'), terminated: ended('terminated') },
    }
  }

  rates(): Measured {
    const minutes = Math.max(1, this.#b.at - this.#a.at) / MINUTE
    const { started, completed, faulted } = this.counts()
    return {
      startedPerMinute: started! / minutes,
      completedPerMinute: completed! / minutes,
      faultedPerMinute: faulted! / minutes,
      stepsFailedPerMinute: this.#came('lockstep_steps_failed_total') / minutes,
      lockRequestsPerMinute: this.#came('lockstep_lock_requests_total') / minutes,
    }
  }

  /** What is the same question for a moment and for a day. */
  shares(): Measured {
    const { completed, faulted } = this.counts()
    const waits = this.#came('lockstep_lock_wait_seconds_count')
    const measured: Measured = {
      failureRate: ratio(faulted!, completed! + faulted!),
      lockWaitMeanMs: waits === 0 ? null : (this.#came('lockstep_lock_wait_seconds_sum') / waits) * 1_000,
    }
    for (const [suffix, quantile] of Object.entries(quantiles)) {
      measured[`duration${suffix}Ms`] = this.#quantile('instance_duration', quantile, completedOnly)
      measured[`step${suffix}Ms`] = this.#quantile('step_duration', quantile)
    }
    measured.queueAgeP95Ms = this.#quantile('queue_age', 0.95)
    measured.timerLatenessP95Ms = this.#quantile('timer_lateness', 0.95)
    measured.databaseP95Ms = this.#quantile('database_statement_duration', 0.95)
    for (const cache of this.#table.values(HITS, 'cache')) {
      const hits = this.#came(HITS, { cache })
      measured[`cacheHitRate.${cache}`] = ratio(hits, hits + this.#came('lockstep_cache_misses_total', { cache }))
    }
    return measured
  }

  levels(): Measured {
    // Of several nodes over a time there is only the mean of what they read.
    const isSummed = this.#table.has(READINGS)
    const readings = this.#came(READINGS)
    const now = (name: string): number | null =>
      isSummed ? ratio(this.#came(name), readings) : this.#table.sum(this.#b, name)
    return {
      held: now('lockstep_instances_held'),
      poolInFlight: now('lockstep_pool_in_flight'),
      poolWaiting: now('lockstep_pool_waiting'),
      eventLoop: now(EVENT_LOOP),
      memoryBytes: now('process_resident_memory_bytes'),
    }
  }

  #came(name: string, labels: Labels = {}): number {
    return Math.max(0, this.#table.sum(this.#b, name, labels) - this.#table.sum(this.#a, name, labels))
  }

  #quantile(of: string, quantile: number, labels: Labels = {}): number | null {
    const { bounds, upTo, all } = this.#table.histogram(bucketsOf(of), labels)
    const count = (places: readonly number[]): number => Math.max(0, sumAt(this.#b, places) - sumAt(this.#a, places))
    const seconds = bucketQuantile(bounds, upTo.map(count), count(all), quantile)
    return seconds === undefined ? null : seconds * 1_000
  }
}

const ratio = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)
