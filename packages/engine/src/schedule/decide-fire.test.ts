import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decideFire, type FireDecision } from './decide-fire.ts'
import { MOST_DUE } from './due-occurrences.ts'
import { at, cronIn, type Fields, fires, scheduleWith } from './fixtures/schedules.fixture.ts'
import { nextFire } from './next-occurrence.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const midnight = at('2026-06-01T00:00Z')
const day = (count: number): number => midnight + count * DAY_MS
const daily = (fields: Fields = {}) => cronIn('UTC', '0 0 * * *', fields)
const firedAt = ({ fires }: FireDecision) => fires.map(({ at: instant }) => instant)
const skips = ({ skipped }: FireDecision) => skipped.map(({ reason, count }) => `${reason} ${count}`)

describe('an occurrence', () => {
  it('waits until it is due', () => {
    expect(decideFire({ schedule: daily(), dueAt: day(0), now: day(0) - 1, running: 0 })).toEqual({
      fires: [],
      skipped: [],
      next: { dueAt: day(0), wakeAt: day(0) },
    })
  })

  it('fires in the instant that it is due, and names the next', () => {
    expect(decideFire({ schedule: daily(), dueAt: day(0), now: day(0), running: 0 })).toEqual({
      fires: [{ key: 'nightly@2026-06-01T00:00:00.000Z', at: day(0), fireAt: day(0), late: false, action: 'start' }],
      skipped: [],
      next: { dueAt: day(1), wakeAt: day(1) },
    })
  })

  it('waits for its jitter', () => {
    const schedule = daily({ jitterMs: 3_600_000 })
    const { next } = decideFire({ schedule, dueAt: day(0), now: day(0), running: 0 })
    expect(next!.dueAt).toBe(day(0))
    expect(next!.wakeAt).toBeGreaterThan(day(0))
    expect(firedAt(decideFire({ schedule, dueAt: day(0), now: next!.wakeAt - 1, running: 0 }))).toEqual([])
    expect(firedAt(decideFire({ schedule, dueAt: day(0), now: next!.wakeAt, running: 0 }))).toEqual([day(0)])
  })

  it('does not fire again when its due time comes back', () => {
    const decision = decideFire({ schedule: daily(), dueAt: day(0), now: day(0), running: 0, lastFiredAt: day(0) })
    expect(decision).toEqual({ fires: [], skipped: [], next: { dueAt: day(1), wakeAt: day(1) } })
  })

  it('is the last when none follows', () => {
    const schedule = scheduleWith({ trigger: { at: midnight } })
    expect(decideFire({ schedule, dueAt: midnight, now: midnight, running: 0 }).next).toBe(undefined)
  })
})

describe('misfire', () => {
  const late = day(3) + 10 * MINUTE_MS
  const ask = (fields: Fields, now = late) => decideFire({ schedule: daily(fields), dueAt: day(0), now, running: 0 })

  it('fire-once fires the latest of the missed', () => {
    expect(firedAt(ask({ misfire: 'fire-once' }))).toEqual([day(3)])
    expect(ask({ misfire: 'fire-once' }).fires[0]!.late).toBe(true)
    expect(skips(ask({ misfire: 'fire-once' }))).toEqual(['misfire 3'])
  })

  it('fire-once is content with one that is on time', () => {
    const decision = ask({ misfire: 'fire-once', overlap: 'allow' }, day(3) + 1)
    expect(firedAt(decision)).toEqual([day(3)])
    expect(decision.fires[0]!.late).toBe(false)
  })

  it('skip fires none of the missed, and goes on', () => {
    expect(ask({ misfire: 'skip' })).toEqual({
      fires: [],
      skipped: [{ reason: 'misfire', firstAt: day(0), lastAt: day(3), count: 4, exact: true }],
      next: { dueAt: day(4), wakeAt: day(4) },
    })
  })

  it('catchUp fires the latest k, the oldest first, and besides what is on time', () => {
    const fields = { misfire: { catchUp: 2 }, overlap: 'allow' } as const
    expect(firedAt(ask(fields))).toEqual([day(2), day(3)])
    expect(firedAt(ask(fields, day(3) + 1))).toEqual([day(1), day(2), day(3)])
    expect(firedAt(ask({ ...fields, misfire: { catchUp: 9 } }))).toEqual([day(0), day(1), day(2), day(3)])
  })

  it('begins when the grace is over: the time to the next occurrence, from 5 s to 60 s, or what the schedule says', () => {
    const isLate = (cron: string, lateMs: number, fields: Fields = {}) => {
      const schedule = cronIn('UTC', cron, { misfire: 'skip', ...fields })
      return firedAt(decideFire({ schedule, dueAt: midnight, now: midnight + lateMs, running: 0 }))[0] !== midnight
    }
    expect([isLate('0 0 * * *', 60_000), isLate('0 0 * * *', 60_001)]).toEqual([false, true])
    expect([isLate('*/20 * * * * *', 20_000), isLate('*/20 * * * * *', 20_001)]).toEqual([false, true])
    expect([isLate('* * * * * *', 5_000), isLate('* * * * * *', 5_001)]).toEqual([false, true])
    expect([isLate('0 0 * * *', 90_000, { graceMs: 90_000 }), isLate('0 0 * * *', 1, { graceMs: 0 })]).toEqual([
      false,
      true,
    ])
  })

  it('catches a one-off up that nobody fired', () => {
    const schedule = scheduleWith({ trigger: { at: midnight } })
    expect(firedAt(decideFire({ schedule, dueAt: midnight, now: day(30), running: 0 }))).toEqual([midnight])
  })

  it('works within bounds after a year of absence from a schedule of every second', () => {
    const schedule = cronIn('America/New_York', '* * * * * *', {
      misfire: { catchUp: 3 },
      overlap: 'allow',
      graceMs: 0,
    })
    const now = day(365) + 500
    const decision = decideFire({ schedule, dueAt: day(0), now, running: 0 })
    expect(firedAt(decision)).toEqual([day(365) - 2_000, day(365) - 1_000, day(365)])
    expect(decision.skipped).toEqual([
      { reason: 'misfire', firstAt: day(0), lastAt: day(365) - 3_000, count: expect.any(Number), exact: false },
    ])
    expect(decision.next).toEqual({ dueAt: day(365) + 1_000, wakeAt: day(365) + 1_000 })
  })

  it('works within bounds when the absence had one burst', () => {
    // Every second of one day in the year, long before now.
    const schedule = cronIn('UTC', '* * * 2 6 *', { misfire: 'fire-once' })
    const decision = decideFire({ schedule, dueAt: day(1), now: day(200), running: 0 })
    expect(firedAt(decision)).toEqual([day(2) - 1_000])
    expect(decision.skipped).toHaveLength(1)
    expect(decision.skipped[0]).toMatchObject({ firstAt: day(1), lastAt: day(2) - 2_000, exact: false })
  })

  it('catches up as many as a schedule may ask for', () => {
    const fields = { misfire: { catchUp: 1_000 }, overlap: 'allow', jitterMs: 50_000, graceMs: 0 } as const
    const decision = decideFire({
      schedule: cronIn('UTC', '* * * * *', fields),
      dueAt: day(0),
      now: day(30),
      running: 0,
    })
    expect(decision.fires).toHaveLength(1_000)
    expect(firedAt(decision)).toEqual([...firedAt(decision)].sort((a, b) => a - b))
  })

  it('fires in order of time when jitter leaves an older one on time and a newer one late', () => {
    const schedule = cronIn('UTC', '0,50,51 * * * * *', { misfire: { catchUp: 5 }, overlap: 'allow', jitterMs: 49_999 })
    const starts = Array.from({ length: 200 }, (_, minute) => midnight + minute * MINUTE_MS)
    const decisions = starts.map((dueAt) => decideFire({ schedule, dueAt, now: dueAt + 57_000, running: 0 }))
    // The case itself must be among them.
    expect(
      decisions.some(({ fires: all }) => all.some(({ late }, index) => late && all[index - 1]?.late === false)),
    ).toBe(true)
    for (const decision of decisions) expect(firedAt(decision)).toEqual([...firedAt(decision)].sort((a, b) => a - b))
  })

  it('counts exactly up to the bound', () => {
    const schedule = cronIn('UTC', '* * * * *', { misfire: 'skip' })
    const ask = (count: number) =>
      decideFire({ schedule, dueAt: midnight, now: midnight + count * MINUTE_MS - 1, running: 0, lastFiredAt: 0 })
    expect(ask(MOST_DUE).skipped).toMatchObject([{ count: MOST_DUE - 1, exact: true }])
    expect(ask(2 * MOST_DUE).skipped).toMatchObject([{ firstAt: midnight }])
  })
})

describe('overlap', () => {
  const ask = (fields: Fields, running: number, now = day(0)) =>
    decideFire({ schedule: daily(fields), dueAt: day(0), now, running })

  it('skip fires only when nothing runs', () => {
    expect(firedAt(ask({ overlap: 'skip' }, 0))).toEqual([day(0)])
    expect(ask({ overlap: 'skip' }, 1)).toEqual({
      fires: [],
      skipped: [{ reason: 'overlap', firstAt: day(0), lastAt: day(0), count: 1, exact: true }],
      next: { dueAt: day(1), wakeAt: day(1) },
    })
  })

  it.each([
    ['allow', 0, 'start'],
    ['allow', 2, 'start'],
    ['queue', 0, 'start'],
    ['queue', 2, 'queue'],
    ['cancel-previous', 0, 'start'],
    ['cancel-previous', 2, 'cancel-previous'],
  ] as const)('%s with %i running means %s', (overlap, running, action) => {
    expect(ask({ overlap }, running).fires.map((each) => each.action)).toEqual([action])
  })

  it('takes several in turn', () => {
    const fields = { misfire: { catchUp: 5 } } as const
    const now = day(2) + 10 * MINUTE_MS
    expect(firedAt(ask({ ...fields, overlap: 'skip' }, 0, now))).toEqual([day(0)])
    expect(skips(ask({ ...fields, overlap: 'skip' }, 0, now))).toEqual(['overlap 2'])
    expect(ask({ ...fields, overlap: 'queue' }, 0, now).fires.map(({ action }) => action)).toEqual([
      'start',
      'queue',
      'queue',
    ])
    const cancelling = ask({ ...fields, overlap: 'cancel-previous' }, 1, now)
    expect(cancelling.fires).toMatchObject([{ at: day(2), action: 'cancel-previous' }])
    expect(skips(cancelling)).toEqual(['overlap 2'])
  })
})

describe('a pause and a calendar', () => {
  it('let occurrences go by for good', () => {
    const paused = decideFire({ schedule: daily({ paused: true }), dueAt: day(0), now: day(2), running: 0 })
    expect(paused).toEqual({
      fires: [],
      skipped: [{ reason: 'paused', firstAt: day(0), lastAt: day(2), count: 3, exact: true }],
      next: { dueAt: day(3), wakeAt: day(3) },
    })
  })

  it('are told when the excluded day comes, and the next due time is behind it', () => {
    const schedule = daily({ calendars: [{ name: 'holiday', dates: ['2026-06-02'] }] })
    const monday = decideFire({ schedule, dueAt: day(0), now: day(0), running: 0 })
    expect(monday.next).toEqual({ dueAt: day(1), wakeAt: day(1), excludedBy: 'holiday' })
    expect(decideFire({ schedule, dueAt: day(1), now: day(1), running: 0 })).toEqual({
      fires: [],
      skipped: [{ reason: 'calendar', calendar: 'holiday', firstAt: day(1), lastAt: day(1), count: 1, exact: false }],
      next: { dueAt: day(2), wakeAt: day(2) },
    })
  })
})

describe('a chain of decisions', () => {
  it('accounts for every occurrence once, however late and irregular it is asked', () => {
    const waits = fc.array(fc.integer({ min: 1, max: 3 * 3_600_000 }), { minLength: 1, maxLength: 8 })
    const policies = fc.record({
      misfire: fc.constantFrom('fire-once' as const, 'skip' as const, { catchUp: 3 }),
      overlap: fc.constantFrom('skip', 'queue', 'allow', 'cancel-previous'),
      jitterMs: fc.constantFrom(0, 1_000, 3_600_000),
      grace: fc.constantFrom({}, { graceMs: 0 }, { graceMs: 3_600_000 }),
    } as const)
    const crons = fc.constantFrom('*/7 * * * *', '30 1-3 * * *', '0 */2 * * *', '0,50,51,52 * * * * *')
    fc.assert(
      fc.property(
        crons,
        policies,
        waits,
        fc.integer({ min: 0, max: 1 }),
        (cron, { grace, ...fields }, pauses, running) => {
          const schedule = cronIn('Europe/Berlin', cron, { ...fields, ...grace })
          const start = at('2026-10-24T20:00Z')
          let now = start
          let dueAt = nextFire(schedule, start)!
          let accounted = 0
          let fired: readonly number[] = []
          for (const pause of pauses) {
            now += pause
            const decision = decideFire({ schedule, dueAt, now, running })
            accounted += decision.fires.length + decision.skipped.reduce((sum, { count }) => sum + count, 0)
            fired = [...fired, ...firedAt(decision)]
            expect(decision.next!.wakeAt).toBeGreaterThan(now)
            dueAt = decision.next!.dueAt
          }
          expect(accounted).toBe(fires(schedule, start, dueAt - 1).length)
          expect(fired).toEqual([...new Set(fired)].sort((a, b) => a - b))
        },
      ),
      { numRuns: 100 },
    )
  })
})
