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
  /** What fires under each rule. */
  readonly fires: Readonly<Partial<Record<'skip' | 'shift' | 'once' | 'twice', readonly string[]>>>
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
    what: 'Lord Howe moves by half an hour',
    zone: 'Australia/Lord_Howe',
    cron: '15 2 * * *',
    from: '2026-10-03T15:20:00Z',
    to: '2026-10-04T15:16:00Z',
    fires: {
      skip: ['2026-10-04T15:15:00.000Z'],
      shift: ['2026-10-03T15:30:00.000Z', '2026-10-04T15:15:00.000Z'],
    },
  },
  {
    what: 'Cairo loses midnight',
    zone: 'Africa/Cairo',
    cron: '0 0 * * *',
    from: '2026-04-23T21:30:00Z',
    to: '2026-04-24T21:01:00Z',
    fires: { shift: ['2026-04-23T22:00:00.000Z', '2026-04-24T21:00:00.000Z'], skip: ['2026-04-24T21:00:00.000Z'] },
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
    what: 'Samoa leaves out 30 December 2011',
    zone: 'Pacific/Apia',
    cron: '0 12 * * *',
    from: '2011-12-29T21:00:00Z',
    to: '2011-12-31T22:01:00Z',
    fires: {
      skip: ['2011-12-29T22:00:00.000Z', '2011-12-30T22:00:00.000Z', '2011-12-31T22:00:00.000Z'],
    },
  },
]

const cases = nights.flatMap((night) =>
  Object.entries(night.fires).map(([dst, expected]) => ({ ...night, dst: dst as 'skip', expected: expected ?? [] })),
)

describe('an engine over a change of the clocks', () => {
  it.each(cases)('$what: $dst', async ({ zone, cron, from, to, dst, expected }) => {
    const v = await openVirtualEngine({ startAt: from, workflows: [report] })
    const document: ScheduleDocument = { id: 'nightly', trigger: { cron, zone }, dst, definitionId: 'report' }
    await v.wait(v.engine.schedules.create(document))
    await v.until(to)
    expect(await v.fired('nightly')).toEqual(expected)
    const runs = await v.runs('nightly')
    // Fired at its moment: the look and the transaction are all that lies between.
    expect(runs.every((run) => run.firedAt! - run.nominalAt < 1_000)).toBe(true)
    expect(runs.every((run) => run.status === 'completed' || run.endedAt === undefined)).toBe(true)
    expect(v.sim.check()).toEqual([])
  })
})
