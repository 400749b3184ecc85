import { describe, expect, it } from 'vitest'
import { waitBeforeRetry } from './retry.ts'

const refused = (status: number, code: string | undefined, retryAfter: string | null = null) => ({
  status,
  code,
  retryAfter,
})

describe('a request that was refused', () => {
  it('is sent again after the time that the server asks for', () => {
    expect(waitBeforeRetry(refused(503, 'SHUTTING_DOWN', '3'), 0, true)).toBe(3_000)
    expect(waitBeforeRetry(refused(429, 'TOO_MANY_REQUESTS', '0'), 5, false)).toBe(0)
  })

  it('waits longer each time when the server asks for nothing, and never for hours', () => {
    const waits = [0, 1, 2, 20].map((attempt) => waitBeforeRetry(refused(503, undefined), attempt, true))
    expect(waits).toEqual([500, 1_000, 2_000, 30_000])
    expect(waitBeforeRetry(refused(429, 'RATE_LIMITED', '86400'), 0, true)).toBe(30_000)
    expect(waitBeforeRetry(refused(503, undefined, 'Wed, 21 Oct 2026 07:28:00 GMT'), 0, true)).toBe(500)
  })

  it('is not sent again when it may have been carried out and cannot be repeated', () => {
    expect(waitBeforeRetry(refused(503, 'DATABASE_UNAVAILABLE', '1'), 0, false)).toBeUndefined()
    expect(waitBeforeRetry(refused(503, undefined, '1'), 0, false)).toBeUndefined()
    expect(waitBeforeRetry(refused(503, 'DATABASE_UNAVAILABLE', '1'), 0, true)).toBe(1_000)
  })

  it('is not sent again when it would be refused again', () => {
    for (const status of [400, 401, 404, 409, 500])
      expect(waitBeforeRetry(refused(status, 'X', '1'), 0, true)).toBeUndefined()
  })
})
