import { describe, expect, it } from 'vitest'
import { backfill } from './backfill.ts'
import { at, cronIn, scheduleWith, texts } from './fixtures/schedules.fixture.ts'

const from = at('2026-06-01T00:00Z')
const to = at('2026-06-05T00:00Z')

describe('a backfill', () => {
  it('has the start of its range and not its end, whatever the window of the schedule and its pause', () => {
    const schedule = cronIn('UTC', '0 0 * * *', { startAt: '2026-07-01T00:00:00Z', paused: true, jitterMs: 1_000 })
    const { fires, moreFrom } = backfill(schedule, from, to, 100)
    expect(texts(fires.map((each) => each.at))).toEqual([
      '2026-06-01T00:00Z',
      '2026-06-02T00:00Z',
      '2026-06-03T00:00Z',
      '2026-06-04T00:00Z',
    ])
    expect(fires[0]!.key).toBe('nightly@2026-06-01T00:00:00.000Z')
    expect(moreFrom).toBe(undefined)
  })

  it('goes on where its limit stopped it', () => {
    const schedule = cronIn('UTC', '0 */5 * * *', { calendars: [{ dates: ['2026-06-02'] }] })
    const whole = backfill(schedule, from, to, 1_000).fires
    const first = backfill(schedule, from, to, 4)
    const rest = backfill(schedule, first.moreFrom!, to, 1_000)
    expect(first.fires).toHaveLength(4)
    expect([...first.fires, ...rest.fires]).toEqual(whole)
    expect(backfill(schedule, from, to, 0)).toEqual({ fires: [], moreFrom: from })
  })

  it('keeps the phase of an interval that begins with its schedule', () => {
    const schedule = scheduleWith({ trigger: { interval: '1d' }, startAt: '2026-07-01T07:00:00Z' })
    expect(texts(backfill(schedule, from, to, 1).fires.map((each) => each.at))).toEqual(['2026-06-01T07:00Z'])
  })

  it('is empty for an empty range', () => {
    expect(backfill(cronIn('UTC', '0 0 * * *'), to, from, 10)).toEqual({ fires: [] })
  })
})
