/** What a step asks for before it may run, as authors write it and as the engine uses it. The same for graphs and functions. */
import { InvalidOption, parseDuration } from '@lockstep/base'
import type { BreakerDocument, DurationText, LimitDocument, LockDocument } from '../graph/document.ts'
import type { LimitRule } from '../store/limit-store.ts'

export interface LockPolicy {
  /** From the first time it asked; the attempt fails with LOCK_TIMEOUT then. */
  readonly waitMs: number
  /** Absent: as the lock store does by itself. */
  readonly ttlMs: number | undefined
}

export interface BreakerPolicy {
  /** So many failed attempts within `windowMs` on one node open it. */
  readonly failures: number
  readonly windowMs: number
  readonly openMs: number
  /** Probes in a row that must go well before it closes. */
  readonly halfOpen: number
  readonly whenOpen: 'wait' | 'fail'
}

/** Everything about a step's policies but the names, which may depend on the instance. */
export interface GateRules {
  readonly lock: LockPolicy | undefined
  readonly limit: LimitRule | undefined
  readonly breaker: BreakerPolicy | undefined
}

/** The names that go with the rules. A breaker without one is the step's own. */
export interface GateNames {
  readonly lock?: string
  readonly limit?: string
  readonly breaker?: string
}

export const LONGEST_KEY = 200
export const MOST_CONCURRENCY = 100_000
export const MOST_RATE = 100_000
const DEFAULT_LOCK_WAIT_MS = 600_000

export function resolveLock(lock: LockDocument): LockPolicy {
  const { waitMs = DEFAULT_LOCK_WAIT_MS, ttlMs } = typeof lock === 'object' && 'name' in lock ? lock : {}
  if (!(waitMs >= 0)) throw new InvalidOption({ option: 'lock.waitMs', rule: 'not negative', value: waitMs })
  if (ttlMs !== undefined && !(ttlMs >= 50 && ttlMs <= 86_400_000))
    throw new InvalidOption({ option: 'lock.ttlMs', rule: 'from 50 to 86400000', value: ttlMs })
  return { waitMs, ttlMs }
}

export function resolveLimit({ concurrency, rate }: Omit<LimitDocument, 'key'>, option = 'limit'): LimitRule {
  if (concurrency === undefined && rate === undefined)
    throw new InvalidOption({ option, rule: 'an object with `concurrency`, `rate` or both', value: undefined })
  if (concurrency !== undefined) checkCount(`${option}.concurrency`, concurrency, MOST_CONCURRENCY)
  if (rate !== undefined) checkCount(`${option}.rate.limit`, rate.limit, MOST_RATE)
  return {
    concurrency,
    rate: rate && { limit: rate.limit, perMs: positiveMs(`${option}.rate.per`, rate.per) },
  }
}

export function resolveBreaker(breaker: Omit<BreakerDocument, 'key'>): BreakerPolicy {
  const { failures, window, openFor, halfOpen = 1, whenOpen = 'wait' } = breaker
  if (whenOpen !== 'wait' && whenOpen !== 'fail')
    throw new InvalidOption({ option: 'breaker.whenOpen', rule: '"wait" or "fail"', value: whenOpen })
  return {
    failures: checkCount('breaker.failures', failures, 10_000),
    windowMs: positiveMs('breaker.window', window),
    openMs: positiveMs('breaker.openFor', openFor),
    halfOpen: checkCount('breaker.halfOpen', halfOpen, 1_000),
    whenOpen,
  }
}

export function resolveHeartbeat(timeout: DurationText | undefined): number | undefined {
  return timeout === undefined ? undefined : positiveMs('heartbeatTimeout', timeout)
}

export function checkKey(option: string, key: unknown): string {
  if (typeof key === 'string' && key.length > 0 && key.length <= LONGEST_KEY && !key.includes('\0')) return key
  const value = typeof key === 'string' ? `${key.slice(0, 20)}… (${key.length} characters)` : key
  throw new InvalidOption({ option, rule: `a text of 1 to ${LONGEST_KEY} characters`, value })
}

function checkCount(option: string, value: number, most: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= most) return value
  throw new InvalidOption({ option, rule: `a whole number from 1 to ${most}`, value })
}

function positiveMs(option: string, text: DurationText): number {
  const ms = parseDuration(text)
  if (ms >= 1) return ms
  throw new InvalidOption({ option, rule: 'a duration of at least a millisecond', value: text })
}
