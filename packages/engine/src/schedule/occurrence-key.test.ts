import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { secondCrons } from './fixtures/random-cron.fixture.ts'
import { at, cronIn, fires } from './fixtures/schedules.fixture.ts'
import { nextFire } from './next-occurrence.ts'
import { jitteredAt, occurrenceKey } from './occurrence-key.ts'

describe('the key of an occurrence', () => {
  it('is made of the schedule and the nominal instant, and of nothing else', () => {
    expect(occurrenceKey('nightly', at('2026-03-29T01:00Z'))).toBe('nightly@2026-03-29T01:00:00.000Z')
  })

  it('is another for each of the two showings of a wall time', () => {
    const twice = fires(
      cronIn('America/New_York', '30 1 1 11 *', { dst: 'twice' }),
      at('2026-10-31T00:00Z'),
      at('2026-11-02T00:00Z'),
    )
    expect(new Set(twice.map((each) => occurrenceKey('a', each))).size).toBe(2)
  })
})

describe('jitter', () => {
  it('stays within its bound and before the next occurrence', () => {
    const bounds = fc.integer({ min: 0, max: 86_400_000 })
    const instants = fc.integer({ min: at('2000-01-01T00:00Z'), max: at('2050-01-01T00:00Z') })
    fc.assert(
      fc.property(secondCrons, bounds, instants, (cron, jitterMs, after) => {
        const schedule = cronIn('Europe/Berlin', cron, { jitterMs })
        const first = nextFire(schedule, after)
        if (first === undefined) return
        const fireAt = jitteredAt(schedule, first)
        expect(fireAt).toBeGreaterThanOrEqual(first)
        expect(fireAt - first).toBeLessThanOrEqual(jitterMs)
        expect(fireAt).toBeLessThan(nextFire(schedule, first) ?? Infinity)
        expect(jitteredAt(schedule, first)).toBe(fireAt)
      }),
      { numRuns: 300 },
    )
  })

  it('spreads schedules of one instant, and occurrences of one schedule, over the whole bound', () => {
    const jitterMs = 59_999
    const instant = at('2026-06-01T00:00Z')
    const schedule = cronIn('UTC', '0 * * * *', { jitterMs })
    const bySchedule = Array.from(
      { length: 600 },
      (_, index) => jitteredAt({ ...schedule, id: `s-${index}` }, instant) - instant,
    )
    const byHour = Array.from(
      { length: 600 },
      (_, hour) => (jitteredAt(schedule, instant + hour * 3_600_000) - instant) % 3_600_000,
    )
    for (const delays of [bySchedule, byHour]) {
      const tenths = Array.from(
        { length: 10 },
        (_, tenth) => delays.filter((delay) => Math.floor(delay / 6_000) === tenth).length,
      )
      for (const count of tenths) expect(count).toBeGreaterThan(30)
    }
  })
})
