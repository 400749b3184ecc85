/** Jobs in virtual time: by the clock, after others, in batches. */
import { all, any, atLeast, Engine, type JobOptions, job, onFailure, type WorkflowContext } from '@lockstep/engine'
import { describe, expect, it } from 'vitest'
import { openVirtualEngine } from './virtual-engine.ts'

const START = '2026-01-01T00:00:30Z'
const at = (minute: number, second = 1): string => new Date(Date.UTC(2026, 0, 1, 0, minute, second)).toISOString()

type Code = (ctx: WorkflowContext) => Promise<unknown>
const done: Code = async () => 'done'
const fails: Code = async () => {
  throw new Error('no')
}
const made = (name: string, options: JobOptions, code: Code = done) => job(name, options, code)

describe('a job', () => {
  it('runs by its cron, in its zone, with the occurrence as its run', async () => {
    const backup = job('data-backup', { cron: '0 9 * * *', zone: 'Asia/Tokyo', singleton: true }, async (_, run) => run)
    const v = await openVirtualEngine({ startAt: '2025-12-31T23:59:30Z', jobs: [backup] })
    await v.until(at(0))
    const [run] = await v.runs('data-backup')
    expect((await v.wait(v.engine.get(run!.instanceId!))).output).toEqual({
      key: 'data-backup@2026-01-01T00:00:00.000Z',
      scheduledAt: '2026-01-01T00:00:00.000Z',
      input: null,
    })
  })

  it('has all that a schedule has to say about its times', async () => {
    const calendars = [{ name: 'Saturday', weekdays: ['sat' as const] }]
    const from = { startAt: '2026-03-28T06:00:00Z', endAt: '2026-03-29T00:00:00Z' }
    const jobs = [
      made('nightly', { cron: '30 2 * * *', zone: 'Europe/Berlin', dst: 'skip', calendars }),
      made('paced', { interval: '6h', anchor: '2026-01-01T01:00:00Z', ...from, graceMs: 1_000 }),
      made('single', { at: '2026-03-28T12:00:00Z' }),
    ]
    const v = await openVirtualEngine({ startAt: '2026-03-28T01:00:00Z', jobs })
    await v.until('2026-03-30T00:31:00Z')
    // Saturday is in the calendar, Sunday in the gap.
    expect(await v.fired('nightly')).toEqual(['2026-03-30T00:30:00.000Z'])
    expect(await v.fired('paced')).toEqual(['07', '13', '19'].map((hour) => `2026-03-28T${hour}:00:00.000Z`))
    expect(await v.fired('single')).toEqual(['2026-03-28T12:00:00.000Z'])
    expect((await v.wait(v.engine.schedules.get('paced'))).document).toMatchObject({ graceMs: 1_000 })
  })

  it('is a singleton in the whole cluster, by request as by the clock', async () => {
    const slow = made('slow', { cron: '* * * * *', singleton: true }, (ctx) => ctx.sleep('150s'))
    const v = await openVirtualEngine({ startAt: START, jobs: [slow] })
    await v.until(at(1))
    expect(await v.wait(v.engine.jobs.run('slow'))).toMatchObject({ outcome: 'skipped' })
    await v.until(at(4))
    expect(await v.fired('slow')).toEqual(['2026-01-01T00:01:00.000Z', '2026-01-01T00:04:00.000Z'])
  })

  it('is refused where its options contradict one another', () => {
    expect(() => made('Not A Slug', { cron: '* * * * *' })).toThrow(/slug/)
    expect(() => made('idle', {})).toThrow(/"cron" must be set for job "idle", or interval, at or after/)
    expect(() => made('many', { cron: '* * * * *', singleton: true, overlap: 'allow' })).toThrow(/singleton/)
    expect(() => made('some', { after: atLeast(3, 'a', 'b') })).toThrow(/from 1 to 2/)
    expect(() => made('both', { cron: '* * * * *', interval: '5m' })).toThrow(/cron and interval: keep one/)
    expect(() => made('loose', { cron: '* * * * *', anchor: 0 })).toThrow(/anchor" belongs to an interval/)
    expect(() => made('late', { after: all('a'), startAt: START })).toThrow(/"startAt" must be left out of job "late"/)
    expect(() => made('never', { cron: '99 * * * *' })).toThrow(/SCHEDULE_INVALID|cron/)
  })

  it('keeps its schedule when the node starts again, paused as it was, and changes it with its code', async () => {
    const v = await openVirtualEngine({ startAt: START, jobs: [made('tidy', { cron: '*/5 * * * *' })] })
    await v.wait(v.engine.schedules.pause('tidy'))
    await v.wait(v.engine.close(0))
    const again = async (options: JobOptions) => {
      const name = `again-${v.sim.clock.now()}`
      const { store, clock, random, bus } = v.sim.node(name)
      const engine = await v.wait(Engine.open({ store, clock, random, bus, jobs: [made('tidy', options)] }))
      const view = await v.wait(engine.schedules.get('tidy'))
      await expect(
        v.wait(engine.schedules.put({ id: 'tidy', job: 'tidy', trigger: { cron: '* * * * *' } })),
      ).rejects.toMatchObject({ code: 'SCHEDULE_OWNED' })
      await v.wait(engine.close(0))
      return view
    }
    expect(await again({ cron: '*/5 * * * *' })).toMatchObject({ revision: 2, paused: true })
    const newer = await again({ cron: '*/7 * * * *', version: 2 })
    expect(newer).toMatchObject({ revision: 3, paused: true, document: { trigger: { cron: '*/7 * * * *' } } })
    expect(await again({ cron: '*/5 * * * *' })).toMatchObject({ revision: 3 })
  })

  it('leaves a schedule that is deleted by hand when it is gone from the code, and comes back with it, paused as it was', async () => {
    const v = await openVirtualEngine({ startAt: START, jobs: [made('tidy', { cron: '* * * * *' })] })
    await v.until(at(1))
    await v.wait(v.engine.close(0))
    const start = async (...jobs: ReturnType<typeof made>[]) => {
      const { store, clock, random, bus } = v.sim.node(`later-${v.sim.clock.now()}`)
      return v.wait(Engine.open({ store, clock, random, bus, jobs }))
    }
    const without = await start(made('clean', { cron: '* * * * *' }))
    await v.wait(without.schedules.pause('tidy'))
    await v.wait(without.schedules.remove('tidy'))
    expect((await v.wait(without.schedules.list())).map(({ id }) => id)).toEqual(['clean'])
    await v.wait(without.close(0))
    const again = await start(made('tidy', { cron: '* * * * *' }))
    expect(await v.wait(again.schedules.get('tidy'))).toMatchObject({ owner: 'job', paused: true })
  })
})

describe('jobs after others', () => {
  const hourly = { cron: '1 * * * *' }
  const later = { cron: '3 * * * *' }

  it('runs when all have completed, once per round', async () => {
    const jobs = [
      made('extract', hourly),
      made('transform', later),
      made('load', { after: all('extract', 'transform') }),
    ]
    const v = await openVirtualEngine({ startAt: START, jobs })
    await v.until(at(2))
    expect(await v.runs('load')).toEqual([])
    // A second run of the first adds nothing.
    await v.wait(v.engine.jobs.run('extract'))
    await v.until(at(2, 30))
    expect(await v.runs('load')).toEqual([])
    await v.until(at(4))
    expect(await v.runs('load')).toMatchObject([{ state: 'started', origin: 'after', status: 'completed' }])
    await v.until('2026-01-01T01:04:00Z')
    expect(await v.runs('load')).toHaveLength(2)
    expect(v.sim.check()).toEqual([])
  })

  it('counts only what completed, and follows failures where asked', async () => {
    const jobs = [
      made('bad', hourly, fails),
      made('good', hourly),
      made('both', { after: all('bad', 'good') }),
      made('either', { after: any('bad', 'good') }),
      made('alarm', { after: onFailure('bad') }),
      made('calm', { after: onFailure('good') }),
    ]
    const v = await openVirtualEngine({ startAt: START, jobs })
    await v.until(at(2))
    expect((await v.runs('either')).length).toBe(1)
    expect((await v.runs('alarm')).length).toBe(1)
    expect(await v.runs('both')).toEqual([])
    expect(await v.runs('calm')).toEqual([])
  })

  it('does not count the last of "two of three" for the next round', async () => {
    const jobs = [
      made('a', { cron: '1 * * * *' }),
      made('b', { cron: '2 * * * *' }),
      made('c', { cron: '3 * * * *' }),
      made('two', { after: atLeast(2, 'a', 'b', 'c') }),
    ]
    const v = await openVirtualEngine({ startAt: START, jobs })
    await v.until(at(4))
    expect(await v.runs('two')).toHaveLength(1)
    await v.until('2026-01-01T01:01:30Z')
    expect(await v.runs('two')).toHaveLength(1)
    await v.until('2026-01-01T01:02:30Z')
    expect(await v.runs('two')).toHaveLength(2)
  })

  it('forgets a round whose time is over', async () => {
    const jobs = [
      made('a', { cron: '1 0 * * *' }),
      made('b', { cron: '3 0 * * *' }),
      made('both', { after: all('a', 'b'), within: '1m' }),
    ]
    const v = await openVirtualEngine({ startAt: START, jobs })
    await v.until(at(3, 30))
    expect(await v.runs('both')).toEqual([])
    await v.wait(v.engine.jobs.run('a'))
    await v.sim.run(3_000)
    expect(await v.runs('both')).toMatchObject([{ state: 'started' }])
  })

  it('waits instead of being lost when the job still runs', async () => {
    const jobs = [
      made('first', { cron: '* * * * *' }),
      made('second', { after: all('first'), singleton: true }, (ctx) => ctx.sleep('90s')),
    ]
    const v = await openVirtualEngine({ startAt: START, jobs })
    await v.until(at(3))
    const runs = await v.runs('second')
    expect(runs.map((run) => run.state)).toEqual(['started', 'started', 'waiting'])
    expect(runs[1]!.firedAt!).toBeGreaterThanOrEqual(runs[0]!.endedAt!)
  })

  it.each([
    [[made('a', { after: all('a') })], 'a → a'],
    [
      [
        made('start', { cron: '* * * * *', after: all('end') }),
        made('middle', { after: any('start') }),
        made('end', { after: onFailure('middle') }),
      ],
      'start → end → middle → start',
    ],
  ])('refuses a circle, and names it', async (jobs, circle) => {
    await expect(openVirtualEngine({ startAt: START, jobs })).rejects.toMatchObject({
      code: 'JOB_CYCLE',
      message: expect.stringContaining(circle),
    })
  })

  it('refuses a parent that no node has', async () => {
    const jobs = [made('child', { after: all('typo') })]
    await expect(openVirtualEngine({ startAt: START, jobs })).rejects.toMatchObject({ code: 'JOB_UNKNOWN' })
  })
})

describe('a batch', () => {
  it('runs the follow-up once, when all have ended', async () => {
    const seen: unknown[] = []
    const resize = job('resize', { cron: '0 0 1 1 *' }, async (ctx, run) => {
      const seconds = run.input as number
      if (seconds < 0) throw new Error('negative')
      await ctx.sleep(seconds * 1_000)
      return seconds * 2
    })
    const publish = job('publish', { cron: '0 0 1 1 *' }, async (ctx, run) =>
      ctx.step('note', () => seen.push(run.input)),
    )
    const v = await openVirtualEngine({ startAt: START, jobs: [resize, publish] })
    const batch = await v.wait(v.engine.jobs.runBatch('resize', [5, -1, 60], { then: publish, key: 'b' }))
    expect(await v.wait(v.engine.jobs.runBatch('resize', [5], { key: 'b' }))).toMatchObject({ created: false })
    await v.sim.run(30_000)
    expect(seen).toEqual([])
    await v.sim.run(40_000)
    const outcome = {
      items: [
        { status: 'completed', output: 10 },
        { status: 'failed', code: expect.any(String), message: expect.stringContaining('negative') },
        { status: 'completed', output: 120 },
      ],
      completed: 2,
      failed: 1,
    }
    expect(seen).toEqual([outcome])
    expect(await v.wait(v.engine.get(batch.instanceId))).toMatchObject({ status: 'completed', output: outcome })
  })
})
