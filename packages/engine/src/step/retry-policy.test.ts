import { describe, expect, it } from 'vitest'
import { resolveRetry, retryDelayMs } from './retry-policy.ts'

const failure = { code: 'E', message: 'm' }

describe('a retry policy', () => {
  it('tries once unless told otherwise', () => {
    expect(retryDelayMs(resolveRetry(), 1, failure, 0)).toBeUndefined()
  })

  it('grows the delay up to its limit and then gives up', () => {
    const policy = resolveRetry({ attempts: 5, backoff: { initial: '100ms', factor: 3, max: '500ms' }, jitter: false })
    expect([1, 2, 3, 4, 5].map((attempt) => retryDelayMs(policy, attempt, failure, 0.9))).toEqual([
      100,
      300,
      500,
      500,
      undefined,
    ])
  })

  it('draws its share of the delay at random', () => {
    const policy = resolveRetry({ attempts: 2, backoff: { initial: '1s' }, jitter: 0.5 })
    expect(retryDelayMs(policy, 1, failure, 0)).toBe(1_000)
    expect(retryDelayMs(policy, 1, failure, 0.5)).toBe(750)
  })

  it('waits as long as whoever refused asked for, within a day', () => {
    const policy = resolveRetry({ attempts: 2, backoff: { initial: '1s' }, jitter: false })
    const asked = (retryAfterMs: number) => retryDelayMs(policy, 1, { ...failure, data: { retryAfterMs } }, 0)
    expect([500, 2_000.5, 1e12, -1, Number.NaN].map(asked)).toEqual([1_000, 2_001, 86_400_000, 1_000, 1_000])
  })

  it('does not retry what it is told not to', () => {
    expect(retryDelayMs(resolveRetry({ attempts: 9, nonRetryable: ['E'] }), 1, failure, 0)).toBeUndefined()
  })

  it('stays finite for any number of attempts', () => {
    const policy = resolveRetry({ attempts: 1_000, backoff: { factor: 100, max: '1h' }, jitter: false })
    expect(retryDelayMs(policy, 999, failure, 0)).toBe(3_600_000)
  })
})
