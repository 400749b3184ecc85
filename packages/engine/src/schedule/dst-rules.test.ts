import { describe, expect, it } from 'vitest'
import { type DstRules, dstRules } from './dst-rules.ts'
import { at, cronIn, fires, texts } from './fixtures/schedules.fixture.ts'

/** Every real change, with what each rule makes of it. The days before and after show that nothing else moves. */
const gaps = [
  {
    name: 'an hour in New York',
    zone: 'America/New_York',
    cron: '30 2 * * *',
    from: '2026-03-07T00:00Z',
    to: '2026-03-10T00:00Z',
    skip: ['2026-03-07T07:30Z', '2026-03-09T06:30Z'],
    shift: ['2026-03-07T07:30Z', '2026-03-08T07:00Z', '2026-03-09T06:30Z'],
  },
  {
    name: 'half an hour on Lord Howe',
    zone: 'Australia/Lord_Howe',
    cron: '15 2 * * *',
    from: '2026-10-02T00:00Z',
    to: '2026-10-05T00:00Z',
    skip: ['2026-10-02T15:45Z', '2026-10-04T15:15Z'],
    shift: ['2026-10-02T15:45Z', '2026-10-03T15:30Z', '2026-10-04T15:15Z'],
  },
  {
    name: 'the midnight of São Paulo',
    zone: 'America/Sao_Paulo',
    cron: '0 0 * * *',
    from: '2018-11-03T00:00Z',
    to: '2018-11-06T00:00Z',
    skip: ['2018-11-03T03:00Z', '2018-11-05T02:00Z'],
    shift: ['2018-11-03T03:00Z', '2018-11-04T03:00Z', '2018-11-05T02:00Z'],
  },
  {
    name: 'the day that Apia skipped',
    zone: 'Pacific/Apia',
    cron: '0 9 * * *',
    from: '2011-12-29T00:00Z',
    to: '2012-01-01T00:00Z',
    skip: ['2011-12-29T19:00Z', '2011-12-30T19:00Z', '2011-12-31T19:00Z'],
    shift: ['2011-12-29T19:00Z', '2011-12-30T10:00Z', '2011-12-30T19:00Z', '2011-12-31T19:00Z'],
  },
  {
    name: 'a quarter of an hour in Kathmandu, for good',
    zone: 'Asia/Kathmandu',
    cron: '10 0 * * *',
    from: '1985-12-30T00:00Z',
    to: '1986-01-02T00:00Z',
    skip: ['1985-12-30T18:40Z', '1986-01-01T18:25Z'],
    shift: ['1985-12-30T18:40Z', '1985-12-31T18:30Z', '1986-01-01T18:25Z'],
  },
  {
    name: 'many occurrences in one gap, and one that exists at its end',
    zone: 'Europe/Berlin',
    cron: '*/20 2-3 * * *',
    from: '2026-03-29T00:00Z',
    to: '2026-03-29T02:00Z',
    skip: ['2026-03-29T01:00Z', '2026-03-29T01:20Z', '2026-03-29T01:40Z'],
    shift: ['2026-03-29T01:00Z', '2026-03-29T01:20Z', '2026-03-29T01:40Z'],
  },
]

const folds = [
  {
    name: 'an hour in New York',
    zone: 'America/New_York',
    cron: '30 1 * * *',
    from: '2026-10-31T00:00Z',
    to: '2026-11-03T00:00Z',
    once: ['2026-10-31T05:30Z', '2026-11-01T05:30Z', '2026-11-02T06:30Z'],
    twice: ['2026-10-31T05:30Z', '2026-11-01T05:30Z', '2026-11-01T06:30Z', '2026-11-02T06:30Z'],
  },
  {
    name: 'half an hour on Lord Howe',
    zone: 'Australia/Lord_Howe',
    cron: '45 1 * * *',
    from: '2026-04-04T00:00Z',
    to: '2026-04-05T16:00Z',
    once: ['2026-04-04T14:45Z', '2026-04-05T15:15Z'],
    twice: ['2026-04-04T14:45Z', '2026-04-04T15:15Z', '2026-04-05T15:15Z'],
  },
  {
    name: 'the hour before the midnight of São Paulo',
    zone: 'America/Sao_Paulo',
    cron: '30 23 * * *',
    from: '2019-02-16T00:00Z',
    to: '2019-02-18T03:00Z',
    once: ['2019-02-16T01:30Z', '2019-02-17T01:30Z', '2019-02-18T02:30Z'],
    twice: ['2019-02-16T01:30Z', '2019-02-17T01:30Z', '2019-02-17T02:30Z', '2019-02-18T02:30Z'],
  },
  {
    name: 'the first minute of a fold, and the minute after its last',
    zone: 'Europe/Berlin',
    cron: '0 2,3 * * *',
    from: '2026-10-25T00:00Z',
    to: '2026-10-25T12:00Z',
    // 02:00 exists at 00:00Z and at 01:00Z; 03:00 once, at 02:00Z.
    once: ['2026-10-25T02:00Z'],
    twice: ['2026-10-25T01:00Z', '2026-10-25T02:00Z'],
  },
]

describe('a wall time in a gap', () => {
  for (const { name, zone, cron, from, to, skip, shift } of gaps) {
    for (const fold of ['once', 'twice'] as const) {
      it(`is left out under skip: ${name}, fold ${fold}`, () => {
        expect(texts(fires(cronIn(zone, cron, { dst: { gap: 'skip', fold } }), at(from), at(to)))).toEqual(skip)
      })
      it(`fires at the end of the gap under shift: ${name}, fold ${fold}`, () => {
        expect(texts(fires(cronIn(zone, cron, { dst: { gap: 'shift', fold } }), at(from), at(to)))).toEqual(shift)
      })
    }
  }
})

describe('a wall time in a fold', () => {
  for (const { name, zone, cron, from, to, once, twice } of folds) {
    for (const gap of ['skip', 'shift'] as const) {
      it(`fires the first time only under once: ${name}, gap ${gap}`, () => {
        expect(texts(fires(cronIn(zone, cron, { dst: { gap, fold: 'once' } }), at(from), at(to)))).toEqual(once)
      })
      it(`fires both times under twice: ${name}, gap ${gap}`, () => {
        expect(texts(fires(cronIn(zone, cron, { dst: { gap, fold: 'twice' } }), at(from), at(to)))).toEqual(twice)
      })
    }
  }
})

describe('a word alone', () => {
  it.each<[Parameters<typeof dstRules>[0], boolean, DstRules]>([
    [undefined, false, { gap: 'shift', fold: 'once' }],
    ['skip', false, { gap: 'skip', fold: 'once' }],
    ['shift', false, { gap: 'shift', fold: 'once' }],
    ['once', false, { gap: 'shift', fold: 'once' }],
    ['twice', false, { gap: 'shift', fold: 'twice' }],
    [undefined, true, { gap: 'skip', fold: 'twice' }],
    ['shift', true, { gap: 'shift', fold: 'twice' }],
    ['once', true, { gap: 'skip', fold: 'once' }],
    [{ fold: 'twice' }, false, { gap: 'shift', fold: 'twice' }],
    [{ gap: 'shift' }, true, { gap: 'shift', fold: 'twice' }],
  ])('%j with every hour %j means %j', (policy, everyHour, rules) => {
    expect(dstRules(policy, everyHour)).toEqual(rules)
  })

  it.each([
    ['spring', '2026-03-08T00:00Z'],
    ['autumn', '2026-11-01T00:00Z'],
  ])('is not needed for a schedule of every hour: it follows real time in %s', (_, from) => {
    const found = fires(cronIn('America/New_York', '30 * * * *'), at(from), at(from) + 86_400_000)
    expect(found).toHaveLength(24)
    expect(new Set(found.slice(1).map((each, index) => each - found[index]!))).toEqual(new Set([3_600_000]))
  })
})
