import type { Clock } from '@lockstep/base'
import { isStandbyLock } from '../election/standby-lock.ts'
import type { LeaseEvent } from '../lease/lease-events.ts'
import { Histogram } from './histogram.ts'
import type { LockStats } from './lock-stats.ts'
import type { SlowEvent } from './monitor-event.ts'
import { namePattern } from './name-pattern.ts'
import { RecentMean } from './recent-mean.ts'

export interface StatisticsOptions {
  /** Names of one kind under one heading. @default ids replaced by `*` */
  readonly patternOf?: (name: string) => string
  /** Patterns that are kept apart; whatever comes after them is counted as `(other)`. @default 200 */
  readonly maxPatterns?: number
  /** A mean wait above this is told as `slow`. @default 5_000 */
  readonly slowWaitMs?: number
}

export const OTHER = '(other)'
const CACHED_NAMES = 2_000

/** Counts what the leases of one process do. Its size is bounded by `maxPatterns`, however many locks there are. */
export class LockStatistics {
  readonly #options: Required<StatisticsOptions>
  readonly #entries = new Map<string, Entry>()
  readonly #byName = new Map<string, Entry>()

  constructor(options: StatisticsOptions = {}) {
    const { patternOf = namePattern, maxPatterns = 200, slowWaitMs = 5_000 } = options
    this.#options = { patternOf, maxPatterns, slowWaitMs }
  }

  /** Answers what is to be told when this event made the mean wait pass the threshold. */
  record(event: LeaseEvent, clock: Pick<Clock, 'monotonic'>): SlowEvent | undefined {
    const entry = this.#entryOf(event.name)
    entry.record(event)
    if ((event.type !== 'granted' && event.type !== 'timed-out') || isStandbyLock(event.name)) return undefined
    const thresholdMs = this.#options.slowWaitMs
    const meanWaitMs = entry.recent.add(event.waitedMs, clock.monotonic())
    if (meanWaitMs <= thresholdMs) {
      entry.slow = false
      return undefined
    }
    if (entry.slow) return undefined
    entry.slow = true
    return { type: 'slow', name: event.name, pattern: entry.pattern, meanWaitMs, thresholdMs }
  }

  /** The most asked first. */
  stats(pattern?: string): readonly LockStats[] {
    const chosen = [...this.#entries.values()].filter((each) => pattern === undefined || each.pattern === pattern)
    return chosen.map((each) => each.stats()).sort((a, b) => b.asked - a.asked || (a.pattern < b.pattern ? -1 : 1))
  }

  #entryOf(name: string): Entry {
    const known = this.#byName.get(name)
    if (known !== undefined) return known
    const wanted = this.#options.patternOf(name)
    const full = this.#entries.size >= this.#options.maxPatterns && !this.#entries.has(wanted)
    const pattern = full ? OTHER : wanted
    const entry = this.#entries.get(pattern) ?? new Entry(pattern)
    this.#entries.set(pattern, entry)
    if (this.#byName.size >= CACHED_NAMES) this.#byName.clear()
    this.#byName.set(name, entry)
    return entry
  }
}

class Entry {
  readonly pattern: string
  readonly recent = new RecentMean()
  slow = false
  readonly #wait = new Histogram()
  readonly #hold = new Histogram()
  readonly #counts: Record<LeaseEvent['type'], number> = {
    asked: 0,
    granted: 0,
    released: 0,
    lost: 0,
    'renewed-late': 0,
    refused: 0,
    'timed-out': 0,
    failed: 0,
  }
  #contended = 0

  constructor(pattern: string) {
    this.pattern = pattern
  }

  record(event: LeaseEvent): void {
    this.#counts[event.type] += 1
    if (event.type === 'granted') {
      this.#wait.record(event.waitedMs)
      if (event.contended) this.#contended += 1
    } else if (event.type === 'released' || event.type === 'lost') this.#hold.record(event.heldMs)
    else if (event.type === 'refused' || event.type === 'timed-out') this.#contended += 1
  }

  stats(): LockStats {
    const counts = this.#counts
    const settled = counts.granted + counts.refused + counts['timed-out'] + counts.failed
    return {
      pattern: this.pattern,
      asked: counts.asked,
      granted: counts.granted,
      refused: counts.refused,
      timedOut: counts['timed-out'],
      failed: counts.failed,
      released: counts.released,
      lost: counts.lost,
      lateRenewals: counts['renewed-late'],
      contention: settled === 0 ? 0 : this.#contended / settled,
      waitMs: this.#wait.quantiles(),
      holdMs: this.#hold.quantiles(),
    }
  }
}
