import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WEEKDAYS } from './calendar.ts'
import { minuteCrons } from './fixtures/random-cron.fixture.ts'
import { at, cronIn, fires, scheduleWith, texts } from './fixtures/schedules.fixture.ts'
import { nextFire, nextOccurrence } from './next-occurrence.ts'
import { wallText, weekdayOf } from './wall-time.ts'

describe('an interval', () => {
  it('keeps the phase of its anchor, before and after it', () => {
    const schedule = scheduleWith({ trigger: { interval: '90m', anchor: '2026-01-01T00:10:00Z' } })
    expect(texts(fires(schedule, at('2025-12-31T21:00Z'), at('2026-01-01T02:00Z')))).toEqual([
      '2025-12-31T21:10Z',
      '2025-12-31T22:40Z',
      '2026-01-01T00:10Z',
      '2026-01-01T01:40Z',
    ])
  })

  it('without an anchor begins with startAt', () => {
    const schedule = scheduleWith({ trigger: { interval: '1h' }, startAt: '2026-01-01T00:20:00Z' })
    expect(nextFire(schedule, -Infinity)).toBe(at('2026-01-01T00:20Z'))
    expect(nextFire(schedule, at('2026-01-01T00:20Z'))).toBe(at('2026-01-01T01:20Z'))
  })

  it('pays no heed to summer time', () => {
    const schedule = scheduleWith({ trigger: { interval: '1h', zone: 'Europe/Berlin' } })
    expect(fires(schedule, at('2026-03-29T00:00Z'), at('2026-03-30T00:00Z'))).toHaveLength(24)
  })
})

describe('a schedule of one instant', () => {
  it('fires once', () => {
    const schedule = scheduleWith({ trigger: { at: '2026-03-29T02:00:00+01:00' } })
    expect(nextFire(schedule, 0)).toBe(at('2026-03-29T01:00Z'))
    expect(nextFire(schedule, at('2026-03-29T01:00Z'))).toBe(undefined)
  })
})

describe('the window of a schedule', () => {
  it('has its start and not its end', () => {
    const schedule = cronIn('UTC', '0 0 * * *', { startAt: '2026-01-02T00:00:00Z', endAt: '2026-01-04T00:00:00Z' })
    expect(texts(fires(schedule, 0, Infinity))).toEqual(['2026-01-02T00:00Z', '2026-01-03T00:00Z'])
  })
})

describe('nextFire', () => {
  it('ends for any instant that a caller may pass', () => {
    const schedule = cronIn('America/New_York', '0 0 * * *')
    expect(nextFire(schedule, -Infinity)).toBeGreaterThan(at('1900-01-01T00:00Z'))
    expect(nextFire(schedule, at('2026-01-01T00:00Z') + 0.5)).toBe(at('2026-01-01T05:00Z'))
    for (const after of [Number.NaN, Infinity, 8.64e15, 1e300]) expect(nextFire(schedule, after)).toBe(undefined)
  })

  it('finds the next of a cron that matches every 28 to 40 years, in a zone that changes twice a year', () => {
    const schedule = cronIn('America/New_York', '0 0 29 2 +MON')
    expect(texts(fires(schedule, at('2026-01-01T00:00Z'), at('2113-01-01T00:00Z')))).toEqual([
      '2044-02-29T05:00Z',
      '2072-02-29T05:00Z',
      '2112-02-29T05:00Z',
    ])
  })

  it('stops at the last year there is', () => {
    expect(nextFire(cronIn('UTC', '0 0 1 1 *'), at('9999-06-01T00:00Z'))).toBe(undefined)
  })
})

describe('calendars', () => {
  it('pass over dates, dates of every year, ranges and weekdays in the zone of the trigger', () => {
    const schedule = cronIn('Asia/Kathmandu', '0 1 * * *', {
      calendars: [
        { name: 'weekend', weekdays: ['sat', 'sun'] },
        { dates: ['2026-12-24', '12-25'], ranges: [{ from: '2026-12-29', to: '2026-12-30' }] },
      ],
    })
    // 01:00 in Kathmandu is 19:15 UTC of the day before.
    expect(texts(fires(schedule, at('2026-12-22T00:00Z'), at('2027-01-01T00:00Z')))).toEqual([
      '2026-12-22T19:15Z',
      '2026-12-27T19:15Z',
      '2026-12-30T19:15Z',
      '2026-12-31T19:15Z',
    ])
  })

  it('show the first occurrence of a stretch of excluded days, and where it ends', () => {
    const schedule = cronIn('UTC', '0 * * * *', { calendars: [{ name: 'weekend', weekdays: ['sat', 'sun'] }] })
    const saturday = at('2026-06-06T00:00Z')
    expect(nextOccurrence(schedule, saturday - 1)).toMatchObject({
      at: saturday,
      excludedBy: 'weekend',
      resumeAfter: at('2026-06-08T00:00Z') - 1,
    })
  })

  it('exclude a shifted occurrence with the day that it was meant for', () => {
    const fields = { dst: 'shift', calendars: [{ dates: ['2011-12-30'] }] } as const
    const found = fires(cronIn('Pacific/Apia', '0 9 * * *', fields), at('2011-12-29T00:00Z'), at('2011-12-31T00:00Z'))
    expect(texts(found)).toEqual(['2011-12-29T19:00Z', '2011-12-30T19:00Z'])
  })

  it('may exclude a century', () => {
    const calendars = [{ ranges: [{ from: '2026-01-01', to: '2199-12-30' }] }, { weekdays: ['tue' as const] }]
    const schedule = cronIn('America/New_York', '0 9 * * *', { calendars })
    // 31 December 2199 is a Tuesday.
    expect(nextFire(schedule, at('2026-06-01T00:00Z'))).toBe(at('2200-01-01T14:00Z'))
  })

  it('that exclude every occurrence end the search', () => {
    const weekly = cronIn('America/New_York', '0 9 * * MON', { calendars: [{ weekdays: ['mon'] }] })
    const yearly = cronIn('America/New_York', '0 9 1 5 *', { calendars: [{ dates: ['05-01'] }] })
    const secondly = cronIn('America/New_York', '* * * * * *', { calendars: [{ weekdays: [...WEEKDAYS] }] })
    for (const schedule of [weekly, yearly, secondly])
      expect(nextFire(schedule, at('2026-06-01T00:00Z'))).toBe(undefined)
  })

  it('leave exactly the fires of the other days, around changes of the clock too', () => {
    const places = fc.constantFrom(
      { zone: 'America/Sao_Paulo', from: at('2018-11-01T00:00Z') },
      { zone: 'America/Sao_Paulo', from: at('2019-02-14T00:00Z') },
      { zone: 'Australia/Lord_Howe', from: at('2026-04-02T00:00Z') },
      { zone: 'America/New_York', from: at('2026-10-30T00:00Z') },
    )
    const excluded = fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1, maxLength: 6 })
    const dst = fc.record({ gap: fc.constantFrom('skip', 'shift'), fold: fc.constantFrom('once', 'twice') } as const)
    const cron = fc.oneof(minuteCrons, fc.constantFrom('*/10 * * * *', '30 23 * * *', '0 0 * * *'))
    fc.assert(
      fc.property(cron, places, excluded, dst, (text, { zone, from }, weekdays, rules) => {
        const to = from + 8 * 86_400_000
        const open = cronIn(zone, text, { dst: rules })
        const closed = cronIn(zone, text, { dst: rules, calendars: [{ weekdays }] })
        const free = fires(open, from, to).filter((instant) => {
          const wall = instant + open.zone.spanAt(instant).offsetMs
          return !weekdays.includes(WEEKDAYS[weekdayOf(Math.floor(wall / 86_400_000))]!)
        })
        expect(texts(fires(closed, from, to))).toEqual(texts(free))
      }),
      { numRuns: 100 },
    )
  })
})

describe('weekdays', () => {
  it('count from Sunday, before 1970 too', () => {
    expect(weekdayOf(at('2026-06-07T00:00Z') / 86_400_000)).toBe(0)
    expect(weekdayOf(at('1969-12-28T00:00Z') / 86_400_000)).toBe(0)
    expect(wallText(at('1969-12-28T00:00Z'))).toBe('1969-12-28T00:00:00')
  })
})
