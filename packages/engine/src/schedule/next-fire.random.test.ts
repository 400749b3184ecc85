import { Cron } from 'croner'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nextWallTime } from './cron/next-wall-time.ts'
import { parseCron } from './cron/parse-cron.ts'
import type { DstRules } from './dst-rules.ts'
import { bruteForce, watch } from './fixtures/brute-force.fixture.ts'
import { hours, minuteCrons, minutes, secondCrons } from './fixtures/random-cron.fixture.ts'
import { at, cronIn, fires } from './fixtures/schedules.fixture.ts'
import { nextFire } from './next-occurrence.ts'

/** A change of the clock, and the days around it. */
const transitions = [
  { zone: 'America/New_York', day: '2026-03-08T07:00Z' },
  { zone: 'America/New_York', day: '2026-11-01T06:00Z' },
  { zone: 'Australia/Lord_Howe', day: '2026-10-03T15:30Z' },
  { zone: 'Australia/Lord_Howe', day: '2026-04-04T15:00Z' },
  { zone: 'America/Sao_Paulo', day: '2018-11-04T03:00Z' },
  { zone: 'America/Sao_Paulo', day: '2019-02-17T02:00Z' },
  { zone: 'Pacific/Apia', day: '2011-12-30T10:00Z' },
  { zone: 'Asia/Kathmandu', day: '1985-12-31T18:30Z' },
  { zone: 'Africa/Casablanca', day: '2026-02-15T02:00Z' },
  { zone: 'Antarctica/Troll', day: '2026-10-25T01:00Z' },
  { zone: 'America/Caracas', day: '2016-05-01T07:00Z' },
  { zone: 'UTC', day: '2026-03-08T07:00Z' },
].map(({ zone, day }) => {
  const [from, to] = [at(day) - 30 * 3_600_000, at(day) + 30 * 3_600_000]
  return { zone, seen: { to, ...watch(zone, from, to) } }
})

const places = fc.constantFrom(...transitions)
const rules: fc.Arbitrary<DstRules> = fc.record({
  gap: fc.constantFrom('skip', 'shift'),
  fold: fc.constantFrom('once', 'twice'),
})
/** Days that match often, so that most runs have something to compare around the change. */
const denseCrons = fc.tuple(minutes, hours).map(([minute, hour]) => `${minute} ${hour} * * *`)

describe('nextFire against brute force', () => {
  it('fires exactly when a watcher of the wall clock would, around every kind of change', () => {
    let compared = 0
    fc.assert(
      fc.property(fc.oneof(denseCrons, minuteCrons), places, rules, (cron, { zone, seen }, dst) => {
        const expected = bruteForce(cron, dst, seen)
        expect(fires(cronIn(zone, cron, { dst }), seen.from - 1, seen.to)).toEqual(expected)
        compared += expected.length
      }),
      { numRuns: 300 },
    )
    expect(compared).toBeGreaterThan(300)
  })

  it('is strictly later, whatever instant it starts from, and skips nothing in between', () => {
    const instants = fc.integer({ min: at('1990-01-01T00:00Z'), max: at('2090-01-01T00:00Z') })
    fc.assert(
      fc.property(secondCrons, places, rules, instants, (cron, { zone }, dst, after) => {
        const schedule = cronIn(zone, cron, { dst })
        const next = nextFire(schedule, after)
        if (next === undefined) return
        expect(next).toBeGreaterThan(after)
        const middle = Math.floor((after + next) / 2)
        if (middle > after) expect(nextFire(schedule, middle)).toBe(next)
        expect(nextFire(schedule, next - 1)).toBe(next)
      }),
      { numRuns: 500 },
    )
  })
})

describe('matching wall times', () => {
  it('are those of croner in UTC, seconds and all modifiers of days included', () => {
    const instants = fc.integer({ min: at('1990-01-01T00:00Z'), max: at('2090-01-01T00:00Z') })
    fc.assert(
      fc.property(secondCrons, instants, (text, from) => {
        const result = parseCron(text)
        if (result.status === 'malformed') throw new Error(`${text}: ${result.fault}`)
        const theirs = new Cron(text, { timezone: 'UTC', paused: true }).nextRuns(3, new Date(from))
        let last = from
        for (const expected of theirs) {
          expect(nextWallTime(result.cron, Math.floor(last / 1_000) * 1_000 + 1_000)).toBe(expected.getTime())
          last = expected.getTime()
        }
        if (theirs.length === 0) expect(nextWallTime(result.cron, from)).toBe(undefined)
      }),
      { numRuns: 250 },
    )
  })
})
