/** Whole nights of clock changes, fired by an engine in virtual time. Instants are written out: they are what a reader can check. */
import { type ScheduleDocument, workflow } from '@lockstep/engine'
import { describe, expect, it } from 'vitest'
import { openVirtualEngine } from './virtual-engine.ts'

const report = workflow('report', async () => 'done')

interface Night {
  readonly what: string
  readonly zone: string
  readonly cron: string
  readonly from: string
  readonly to: string
  /** What fires under the two rules for this kind of night. */
  readonly fires:
    | { readonly skip: readonly string[]; readonly shift: readonly string[] }
    | { readonly once: readonly string[]; readonly twice: readonly string[] }
}

const nights: readonly Night[] = [
  {
    what: 'Berlin skips 02:00 to 03:00',
    zone: 'Europe/Berlin',
    cron: '30 2 * * *',
    from: '2026-03-28T01:00:00Z',
    to: '2026-03-30T00:31:00Z',
    fires: {
      skip: ['2026-03-28T01:30:00.000Z', '2026-03-30T00:30:00.000Z'],
      shift: ['2026-03-28T01:30:00.000Z', '2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z'],
    },
  },
  {
    what: 'Berlin repeats 02:00 to 03:00',
    zone: 'Europe/Berlin',
    cron: '30 2 * * *',
    from: '2026-10-25T00:00:00Z',
    to: '2026-10-26T01:31:00Z',
    fires: {
      once: ['2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z'],
      twice: ['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z', '2026-10-26T01:30:00.000Z'],
    },
  },
  {
    what: 'New York skips 02:00 to 03:00',
    zone: 'America/New_York',
    cron: '30 2 * * *',
    from: '2026-03-07T07:00:00Z',
    to: '2026-03-09T06:31:00Z',
    fires: {
      skip: ['2026-03-07T07:30:00.000Z', '2026-03-09T06:30:00.000Z'],
      shift: ['2026-03-07T07:30:00.000Z', '2026-03-08T07:00:00.000Z', '2026-03-09T06:30:00.000Z'],
    },
  },
  {
    what: 'New York repeats 01:00 to 02:00',
    zone: 'America/New_York',
    cron: '30 1 * * *',
    from: '2026-11-01T05:00:00Z',
    to: '2026-11-02T06:31:00Z',
    fires: {
      once: ['2026-11-01T05:30:00.000Z', '2026-11-02T06:30:00.000Z'],
      twice: ['2026-11-01T05:30:00.000Z', '2026-11-01T06:30:00.000Z', '2026-11-02T06:30:00.000Z'],
    },
  },
  {
    what: 'Lord Howe skips 02:00 to 02:30',
    zone: 'Australia/Lord_Howe',
    cron: '15 2 * * *',
    from: '2026-10-02T15:00:00Z',
    to: '2026-10-04T15:16:00Z',
    fires: {
      skip: ['2026-10-02T15:45:00.000Z', '2026-10-04T15:15:00.000Z'],
      shift: ['2026-10-02T15:45:00.000Z', '2026-10-03T15:30:00.000Z', '2026-10-04T15:15:00.000Z'],
    },
  },
  {
    what: 'Lord Howe repeats 01:30 to 02:00',
    zone: 'Australia/Lord_Howe',
    cron: '45 1 * * *',
    from: '2026-04-04T14:00:00Z',
    to: '2026-04-05T15:16:00Z',
    fires: {
      once: ['2026-04-04T14:45:00.000Z', '2026-04-05T15:15:00.000Z'],
      twice: ['2026-04-04T14:45:00.000Z', '2026-04-04T15:15:00.000Z', '2026-04-05T15:15:00.000Z'],
    },
  },
  {
    what: 'Cairo loses midnight',
    zone: 'Africa/Cairo',
    cron: '0 0 * * *',
    from: '2026-04-22T21:30:00Z',
    to: '2026-04-24T21:01:00Z',
    fires: {
      skip: ['2026-04-22T22:00:00.000Z', '2026-04-24T21:00:00.000Z'],
      shift: ['2026-04-22T22:00:00.000Z', '2026-04-23T22:00:00.000Z', '2026-04-24T21:00:00.000Z'],
    },
  },
  {
    what: 'Cairo repeats the hour before midnight',
    zone: 'Africa/Cairo',
    cron: '30 23 * * *',
    from: '2026-10-29T20:00:00Z',
    to: '2026-10-30T21:31:00Z',
    fires: {
      once: ['2026-10-29T20:30:00.000Z', '2026-10-30T21:30:00.000Z'],
      twice: ['2026-10-29T20:30:00.000Z', '2026-10-29T21:30:00.000Z', '2026-10-30T21:30:00.000Z'],
    },
  },
  {
    what: 'Sao Paulo lost midnight in 2018',
    zone: 'America/Sao_Paulo',
    cron: '15 0 * * *',
    from: '2018-11-03T03:00:00Z',
    to: '2018-11-05T02:16:00Z',
    fires: {
      skip: ['2018-11-03T03:15:00.000Z', '2018-11-05T02:15:00.000Z'],
      shift: ['2018-11-03T03:15:00.000Z', '2018-11-04T03:00:00.000Z', '2018-11-05T02:15:00.000Z'],
    },
  },
  {
    what: 'Sao Paulo repeated the hour before midnight in 2018',
    zone: 'America/Sao_Paulo',
    cron: '15 23 * * *',
    from: '2018-02-18T01:00:00Z',
    to: '2018-02-19T02:16:00Z',
    fires: {
      once: ['2018-02-18T01:15:00.000Z', '2018-02-19T02:15:00.000Z'],
      twice: ['2018-02-18T01:15:00.000Z', '2018-02-18T02:15:00.000Z', '2018-02-19T02:15:00.000Z'],
    },
  },
  {
    what: 'Samoa leaves out 30 December 2011',
    zone: 'Pacific/Apia',
    cron: '0 12 * * *',
    from: '2011-12-29T21:00:00Z',
    to: '2011-12-31T22:01:00Z',
    fires: {
      skip: ['2011-12-29T22:00:00.000Z', '2011-12-30T22:00:00.000Z', '2011-12-31T22:00:00.000Z'],
      shift: [
        '2011-12-29T22:00:00.000Z',
        '2011-12-30T10:00:00.000Z',
        '2011-12-30T22:00:00.000Z',
        '2011-12-31T22:00:00.000Z',
      ],
    },
  },
  {
    what: 'Samoa repeats 03:00 to 04:00',
    zone: 'Pacific/Apia',
    cron: '30 3 * * *',
    from: '2012-03-31T13:00:00Z',
    to: '2012-04-01T14:31:00Z',
    fires: {
      once: ['2012-03-31T13:30:00.000Z', '2012-04-01T14:30:00.000Z'],
      twice: ['2012-03-31T13:30:00.000Z', '2012-03-31T14:30:00.000Z', '2012-04-01T14:30:00.000Z'],
    },
  },
  {
    what: 'Newfoundland, half an hour off, skips 02:00 to 03:00',
    zone: 'America/St_Johns',
    cron: '30 2 * * *',
    from: '2026-03-07T05:30:00Z',
    to: '2026-03-09T05:01:00Z',
    fires: {
      skip: ['2026-03-07T06:00:00.000Z', '2026-03-09T05:00:00.000Z'],
      shift: ['2026-03-07T06:00:00.000Z', '2026-03-08T05:30:00.000Z', '2026-03-09T05:00:00.000Z'],
    },
  },
  {
    what: 'Newfoundland repeats 01:00 to 02:00',
    zone: 'America/St_Johns',
    cron: '30 1 * * *',
    from: '2026-11-01T03:30:00Z',
    to: '2026-11-02T05:01:00Z',
    fires: {
      once: ['2026-11-01T04:00:00.000Z', '2026-11-02T05:00:00.000Z'],
      twice: ['2026-11-01T04:00:00.000Z', '2026-11-01T05:00:00.000Z', '2026-11-02T05:00:00.000Z'],
    },
  },
  {
    what: 'Morocco skips 02:00 to 03:00 when Ramadan is over',
    zone: 'Africa/Casablanca',
    cron: '30 2 * * *',
    from: '2026-03-21T02:00:00Z',
    to: '2026-03-23T01:31:00Z',
    fires: {
      skip: ['2026-03-21T02:30:00.000Z', '2026-03-23T01:30:00.000Z'],
      shift: ['2026-03-21T02:30:00.000Z', '2026-03-22T02:00:00.000Z', '2026-03-23T01:30:00.000Z'],
    },
  },
  {
    what: 'Morocco repeats 02:00 to 03:00 before Ramadan',
    zone: 'Africa/Casablanca',
    cron: '30 2 * * *',
    from: '2026-02-15T01:00:00Z',
    to: '2026-02-16T02:31:00Z',
    fires: {
      once: ['2026-02-15T01:30:00.000Z', '2026-02-16T02:30:00.000Z'],
      twice: ['2026-02-15T01:30:00.000Z', '2026-02-15T02:30:00.000Z', '2026-02-16T02:30:00.000Z'],
    },
  },
]

const WORDS = ['skip', 'shift', 'once', 'twice'] as const

/** A word that is about the other kind of night leaves this one its default: every day has its run, and no day has two. */
const expected = ({ fires }: Night, dst: (typeof WORDS)[number]): readonly string[] =>
  'skip' in fires ? fires[dst === 'skip' ? 'skip' : 'shift'] : fires[dst === 'twice' ? 'twice' : 'once']

describe('an engine over a change of the clocks, under each rule', () => {
  it.each(nights)('$what', async (night) => {
    const { zone, cron, from, to } = night
    const v = await openVirtualEngine({ startAt: from, workflows: [report] })
    for (const dst of WORDS) {
      const document: ScheduleDocument = { id: dst, trigger: { cron, zone }, dst, definitionId: 'report' }
      await v.wait(v.engine.schedules.create(document))
    }
    await v.until(to)
    for (const dst of WORDS) {
      expect({ dst, fired: await v.fired(dst) }).toEqual({ dst, fired: expected(night, dst) })
      const runs = await v.runs(dst)
      // Fired at its moment: the look and the transaction are all that lies between.
      expect(runs.every((run) => run.firedAt! - run.nominalAt < 1_000)).toBe(true)
      expect(runs.every((run) => run.status === 'completed' || run.endedAt === undefined)).toBe(true)
    }
    expect(v.sim.check()).toEqual([])
  })
})
