import { describe, expect, it } from 'vitest'
import { at, texts } from '../fixtures/schedules.fixture.ts'
import type { Cron } from './cron.ts'
import { nextWallTime } from './next-wall-time.ts'
import { parseCron } from './parse-cron.ts'

function cronOf(text: string): Cron {
  const result = parseCron(text)
  if (result.status === 'malformed') throw new Error(result.fault)
  return result.cron
}

function next(text: string, from: string, count: number): readonly string[] {
  const cron = cronOf(text)
  const walls: number[] = []
  let wall = at(from)
  for (let found = 0; found < count; found++) {
    wall = nextWallTime(cron, wall)!
    walls.push(wall)
    wall += 1_000
  }
  return texts(walls)
}

describe('a cron', () => {
  it.each([
    // Days that move with the month.
    ['0 0 L * *', '2028-01-31T01:00Z', ['2028-02-29T00:00Z', '2028-03-31T00:00Z']],
    ['0 0 L-2 * *', '2026-02-01T00:00Z', ['2026-02-26T00:00Z', '2026-03-29T00:00Z']],
    // 15 August 2026 is a Saturday, 15 November a Sunday.
    ['0 0 15W 8,11 *', '2026-08-01T00:00Z', ['2026-08-14T00:00Z', '2026-11-16T00:00Z']],
    // 1 August 2026 is a Saturday, 31 May 2026 a Sunday: neither leaves its month.
    ['0 0 1W 8 *', '2026-08-01T00:00Z', ['2026-08-03T00:00Z']],
    ['0 0 31W 5 *', '2026-05-01T00:00Z', ['2026-05-29T00:00Z']],
    ['0 0 LW * *', '2026-05-01T00:00Z', ['2026-05-29T00:00Z', '2026-06-30T00:00Z', '2026-07-31T00:00Z']],
    ['0 0 * * MON#2', '2026-06-01T00:00Z', ['2026-06-08T00:00Z', '2026-07-13T00:00Z']],
    // Only some months have a fifth Friday.
    ['0 0 * * 5#5', '2026-06-01T00:00Z', ['2026-07-31T00:00Z', '2026-10-30T00:00Z']],
    ['0 0 * * FRIL', '2026-06-01T00:00Z', ['2026-06-26T00:00Z', '2026-07-31T00:00Z']],
    ['0 0 * * fri#l', '2026-06-01T00:00Z', ['2026-06-26T00:00Z']],
    // Either day, or both.
    ['0 0 13 * FRI', '2026-02-01T00:00Z', ['2026-02-06T00:00Z', '2026-02-13T00:00Z']],
    ['0 0 13 * +FRI', '2026-04-01T00:00Z', ['2026-11-13T00:00Z', '2027-08-13T00:00Z']],
    ['0 0 ? * SUN', '2026-06-01T00:00Z', ['2026-06-07T00:00Z']],
    ['0 0 * * 7', '2026-06-01T00:00Z', ['2026-06-07T00:00Z']],
    ['0 0 * * FRI-SUN', '2026-06-01T00:00Z', ['2026-06-05T00:00Z', '2026-06-06T00:00Z', '2026-06-07T00:00Z']],
    // Seconds, steps, names, nicknames.
    ['15/20 59 23 31 dec *', '2026-01-01T00:00Z', ['2026-12-31T23:59:15.000Z', '2026-12-31T23:59:35.000Z']],
    ['10-40/15 0 0 1 1 ?', '2026-01-01T00:00Z', ['2026-01-01T00:00:10.000Z', '2026-01-01T00:00:25.000Z']],
    ['@weekly', '2026-06-01T00:00Z', ['2026-06-07T00:00Z']],
    ['  0   12\t* * *  ', '2026-06-01T00:00Z', ['2026-06-01T12:00Z']],
    // The century that is no leap year.
    ['0 0 29 2 +MON', '2072-03-01T00:00Z', ['2112-02-29T00:00Z']],
  ])('%s from %s matches %j', (text, from, expected) => {
    expect(next(text, from, expected.length)).toEqual(expected)
  })

  it.each(['0 0 30 2 *', '0 0 31 4,6,9,11 *', '0 0 30 2 +MON', '0 0 L-30 4 *'])('%s never matches', (text) => {
    expect(nextWallTime(cronOf(text), at('2026-01-01T00:00Z'))).toBe(undefined)
  })

  it.each([
    ['', 'it is empty'],
    ['* * * *', 'it has 4 fields'],
    ['0 0 0 1 1 * 2027', 'use startAt and endAt'],
    ['@reboot', '"@reboot" is not one of @yearly'],
    ['60 * * * *', 'minute: 60 is not between 0 and 59. Write'],
    ['* 24 * * *', 'hour: 24 is not between 0 and 23. Write'],
    ['* * 0 * *', 'day of month: 0 is not between 1 and 31'],
    ['* * * 13 *', 'month: 13 is not between 1 and 12'],
    ['* * * * 8', 'day of week: 8 is not between 0 and 7'],
    ['* * * FEBR *', 'month: "FEBR" is no value of this field'],
    ['61 * * * * *', 'second: 61 is not between 0 and 59'],
    ['*/0 * * * *', 'minute: the step of "*/0" must be a number of at least 1'],
    ['*/90 * * * *', 'minute: the step of "*/90" is longer than the field'],
    ['1/2/3 * * * *', 'minute: "1/2/3" has more than one /'],
    ['1-2-3 * * * *', 'minute: "1-2-3" has more than one -'],
    ['* 22-2 * * *', 'hour: "22-2" runs backwards: split it in two'],
    ['1,,2 * * * *', 'minute: a value is missing'],
    ['1, * * * *', 'minute: a value is missing'],
    ['-5 * * * *', 'minute: a value is missing'],
    ['1.5 * * * *', 'minute: "1.5" is no value of this field'],
    ['* * L-31 * *', 'day of month: "L-31" must count 0 to 30 days back'],
    ['* * W * *', 'day of month: a value is missing'],
    ['* * * * L', 'day of week: L needs a day, as in FRIL'],
    ['* * * * MON#6', 'day of week: "MON#6" must end in #1 to #5 or #L'],
    ['* * * * MON#', 'day of week: "MON#" must end in #1 to #5 or #L'],
    ['* L * * *', 'hour: "L" is no value of this field'],
    ['+1 * * * *', 'minute: "+1" is no value of this field'],
    ['1,'.repeat(2_000), 'it is longer than 1000 characters'],
  ])('%j is refused: %s', (text, fault) => {
    expect(parseCron(text)).toEqual({ status: 'malformed', fault: expect.stringContaining(fault) })
  })
})
