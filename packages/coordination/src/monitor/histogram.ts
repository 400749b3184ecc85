/**
 * Durations in buckets that each reach a quarter of an octave further (a quantile is at most 19 % too high, never too low), from 0.05 ms to
 * two days. Its size never changes, whatever is recorded.
 */
export class Histogram {
  readonly #counts = new Float64Array(BUCKETS)
  #count = 0
  #sum = 0
  #max = 0

  record(ms: number): void {
    const value = ms > 0 ? ms : 0
    this.#counts[bucketOf(value)]! += 1
    this.#count += 1
    this.#sum += value
    if (value > this.#max) this.#max = value
  }

  quantiles(): Quantiles {
    return {
      count: this.#count,
      mean: this.#count === 0 ? 0 : this.#sum / this.#count,
      p50: this.#at(0.5),
      p95: this.#at(0.95),
      p99: this.#at(0.99),
      max: this.#max,
    }
  }

  /** The upper bound of the bucket in which the quantile lies, never above the greatest value seen. */
  #at(quantile: number): number {
    const rank = Math.ceil(this.#count * quantile)
    let seen = 0
    for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
      seen += this.#counts[bucket]!
      if (seen >= rank) return Math.min(upperBound(bucket), this.#max)
    }
    return this.#max
  }
}

export interface Quantiles {
  readonly count: number
  readonly mean: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
}

const SMALLEST_MS = 0.05
const STEPS_PER_OCTAVE = 4
const BUCKETS = 128

const upperBound = (bucket: number): number => SMALLEST_MS * 2 ** (bucket / STEPS_PER_OCTAVE)

function bucketOf(ms: number): number {
  if (ms <= SMALLEST_MS) return 0
  return Math.min(BUCKETS - 1, Math.ceil(Math.log2(ms / SMALLEST_MS) * STEPS_PER_OCTAVE))
}
