import { expect, it } from 'vitest'
import { DAY_MS, hoursOf, laneOf } from './day-lane.ts'

const FROM = Date.parse('2026-03-01T00:00:00Z')
const line = (hours: number, status = 'fires') =>
  ({ at: new Date(FROM + hours * 3_600_000).toISOString(), status }) as never

it('draws what lies within the day, and says what does not fire', () => {
  const { marks, bandFrom } = laneOf([line(6), line(12, 'excluded'), line(30)], FROM, 100)
  expect(marks.map(({ share, fires }) => [share, fires])).toEqual([
    [0.25, true],
    [0.5, false],
  ])
  expect(bandFrom).toBeUndefined()
})

it('draws a band where there are more than were read', () => {
  expect(laneOf([line(1), line(2), line(3)], FROM, 3).bandFrom).toBe(0.125)
  expect(laneOf([line(1), line(2), line(30)], FROM, 3).bandFrom).toBeUndefined()
})

it('marks every third hour', () => {
  const hours = hoursOf(FROM + 60_000, (at) => String((at - FROM) / 3_600_000))
  expect(hours.length).toBeGreaterThanOrEqual(7)
  for (const { share } of hours) expect(share * DAY_MS).toBeGreaterThan(0)
})
