import { systemClock } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { RateLimiter } from './rate-limiter.ts'

describe('the rate limiter', () => {
  const at = (limit: { burst: number; perMs: number }) => {
    let now = 0
    const limiter = new RateLimiter({ ...systemClock, monotonic: () => now }, limit)
    return { limiter, pass: (ms: number) => (now += ms) }
  }

  it('lets a burst through, then one after another as time passes', () => {
    const { limiter, pass } = at({ burst: 3, perMs: 3_000 })
    expect([limiter.ask('a'), limiter.ask('a'), limiter.ask('a'), limiter.ask('a')]).toEqual([0, 0, 0, 1_000])
    expect(limiter.ask('b')).toBe(0)
    pass(999)
    expect(limiter.ask('a')).toBeGreaterThan(0)
    pass(1)
    expect([limiter.ask('a'), limiter.ask('a') > 0]).toEqual([0, true])
  })

  it('only looks when it is told to', () => {
    const { limiter } = at({ burst: 1, perMs: 1_000 })
    expect([limiter.ask('a', false), limiter.ask('a', false), limiter.ask('a'), limiter.ask('a', false)]).toEqual([
      0, 0, 0, 1_000,
    ])
  })

  it('remembers only so many strangers', () => {
    const { limiter } = at({ burst: 1, perMs: 1_000 })
    for (let each = 0; each < 20_000; each++) limiter.ask(`address ${each}`)
    expect(limiter.size).toBe(10_000)
  })
})
