import { describe, expect, it } from 'vitest'
import { at, cronIn, fires, scheduleWith } from './fixtures/schedules.fixture.ts'
import { type PreviewLine, preview } from './preview.ts'
import type { Schedule } from './schedule.ts'

const show = ({ wall, offset, nominal, status, dst, calendar }: PreviewLine): string =>
  [`${wall}${offset}`, status, nominal && `for ${nominal}`, dst, calendar].filter(Boolean).join(' ')
const lines = (schedule: Schedule, from: string, count: number) => preview(schedule, at(from), count).map(show)

describe('a preview', () => {
  it('marks what summer time moves', () => {
    const schedule = cronIn('America/New_York', '30 2 * * *', { dst: 'shift' })
    expect(lines(schedule, '2026-03-07T00:00Z', 3)).toEqual([
      '2026-03-07T02:30:00-05:00 fires',
      '2026-03-08T03:00:00-04:00 fires for 2026-03-08T02:30:00 shifted',
      '2026-03-09T02:30:00-04:00 fires',
    ])
  })

  it('shows what summer time takes away', () => {
    const schedule = cronIn('America/New_York', '30 2 * * *', { dst: 'skip' })
    expect(lines(schedule, '2026-03-07T12:00Z', 1)).toEqual([
      '2026-03-08T03:00:00-04:00 dropped for 2026-03-08T02:30:00 in-gap',
      '2026-03-09T02:30:00-04:00 fires',
    ])
  })

  it('tells the two showings of a wall time apart', () => {
    const twice = cronIn('Australia/Lord_Howe', '45 1 * * *', { dst: 'twice' })
    expect(lines(twice, '2026-04-04T00:00Z', 3)).toEqual([
      '2026-04-05T01:45:00+11:00 fires first-of-two',
      '2026-04-05T01:45:00+10:30 fires second-of-two',
      '2026-04-06T01:45:00+10:30 fires',
    ])
    const once = cronIn('Australia/Lord_Howe', '45 1 * * *', { dst: 'once' })
    expect(lines(once, '2026-04-04T00:00Z', 2)).toEqual([
      '2026-04-05T01:45:00+11:00 fires first-of-two',
      '2026-04-05T01:45:00+10:30 dropped repeated',
      '2026-04-06T01:45:00+10:30 fires',
    ])
  })

  it('shows excluded days by their first occurrence, and counts only fires', () => {
    const schedule = cronIn('Asia/Kathmandu', '0 9,17 * * *', {
      calendars: [{ name: 'weekend', weekdays: ['sat', 'sun'] }],
    })
    expect(lines(schedule, '2026-06-05T04:00Z', 2)).toEqual([
      '2026-06-05T17:00:00+05:45 fires',
      '2026-06-06T09:00:00+05:45 excluded weekend',
      '2026-06-08T09:00:00+05:45 fires',
    ])
  })

  it('shows instants with their key and jitter, and heeds no pause', () => {
    const schedule = scheduleWith({ trigger: { interval: '1h' }, jitterMs: 60_000, paused: true })
    const [first] = preview(schedule, at('2026-06-01T00:30Z'), 1)
    expect(first).toMatchObject({ at: at('2026-06-01T01:00Z'), key: 'nightly@2026-06-01T01:00:00.000Z' })
    expect(first!.fireAt).toBeGreaterThan(first!.at)
  })

  it('ends: with the schedule, with a bound on its length, and when everything is excluded', () => {
    expect(preview(scheduleWith({ trigger: { at: 1_000 } }), 0, 5)).toHaveLength(1)
    expect(preview(cronIn('UTC', '0 0 30 2 *'), 0, 5)).toEqual([])
    expect(preview(cronIn('UTC', '* * * * *'), 0, 1e9)).toHaveLength(1_000)
    const none = cronIn('UTC', '0 0 * * MON', { calendars: [{ weekdays: ['mon'] }] })
    expect(preview(none, 0, 1).every(({ status }) => status === 'excluded')).toBe(true)
  })

  it('fires exactly when the schedule does, from any instant', () => {
    const schedule = cronIn('Europe/Berlin', '*/20 2-3 * * *', { dst: { gap: 'skip', fold: 'once' } })
    const from = at('2026-10-24T23:17Z')
    const shown = preview(schedule, from, 20).filter(({ status }) => status === 'fires')
    expect(shown.map((each) => each.at)).toEqual(fires(schedule, from, shown.at(-1)!.at))
    expect(preview(schedule, -Infinity, 1)).toHaveLength(1)
  })
})
