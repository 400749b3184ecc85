import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { watch } from './fixtures/brute-force.fixture.ts'
import { at } from './fixtures/schedules.fixture.ts'
import { ZoneOffsets, zoneOffsets } from './zone-offsets.ts'

const MINUTE_MS = 60_000

describe('zone offsets', () => {
  it('are what Intl shows, in any order of questions', () => {
    const names = ['America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia', 'Africa/Casablanca', 'Asia/Kathmandu']
    const zones = names.map((name) => new ZoneOffsets(name))
    const minutes = fc.integer({ min: at('1975-01-01T00:00Z') / MINUTE_MS, max: at('2090-01-01T00:00Z') / MINUTE_MS })
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.array(minutes, { minLength: 1, maxLength: 20 }), (zone, asked) => {
        for (const minute of asked) {
          const instant = minute * MINUTE_MS
          const span = zone.spanAt(instant)
          expect(span.offsetMs).toBe(watch(zone.id, instant, instant).walls[0]! - instant)
          expect(span.fromAt <= instant && instant < span.toAt).toBe(true)
        }
      }),
      { numRuns: 100 },
    )
  })

  it('begin and end with the instant of the change', () => {
    const zone = zoneOffsets('Europe/Berlin')!
    const change = at('2026-03-29T01:00Z')
    expect(zone.spanAt(change - 1).toAt).toBe(change)
    expect(zone.spanAt(change)).toMatchObject({ fromAt: change, offsetMs: 7_200_000, offsetBeforeMs: 3_600_000 })
  })

  it('forget the oldest answers rather than grow without end', () => {
    const zone = new ZoneOffsets('Europe/Berlin')
    for (let year = 2000; year < 2_600; year++) zone.spanAt(Date.UTC(year, 6, 1)).offsetMs
    for (let year = 2000; year < 2_600; year++) zone.spanAt(Date.UTC(year, 0, 1)).offsetMs
    expect(zone.spanAt(at('2026-07-01T00:00Z')).offsetMs).toBe(7_200_000)
    expect(zone.spanAt(at('2026-01-01T00:00Z')).offsetMs).toBe(3_600_000)
  })

  it('are shared by spellings of one name, and refused to what is no name', () => {
    expect(zoneOffsets('europe/berlin')).toBe(zoneOffsets('Europe/Berlin'))
    for (const name of ['', 'Mars/Olympus', '+05:30', 'local', 'Europe/Berlin ', 'x'.repeat(10_000)])
      expect(zoneOffsets(name)).toBe(undefined)
  })
})
