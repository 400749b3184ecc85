/** What schedules do over time, in virtual time: overlap, misfire, pause, requests, backfill. */
import { Engine, type EngineMetrics, type ScheduleDocument, workflow } from '@lockstep/engine'
import { simulation } from '@lockstep/testing/simulation'
import { describe, expect, it } from 'vitest'
import { openVirtualEngine } from './virtual-engine.ts'

const START = '2026-01-01T00:00:30Z'
const MINUTE_MS = 60_000

const quick = workflow('quick', async (_, input: unknown) => input)
/** Takes as many seconds as its input says. */
const slow = workflow('slow', async (ctx, input: { seconds: number }) => {
  await ctx.sleep(input.seconds * 1_000)
  return 'done'
})
const workflows = [quick, slow]

const everyMinute = (extra: Partial<ScheduleDocument> = {}): ScheduleDocument =>
  ({ id: 'each', trigger: { cron: '* * * * *' }, definitionId: 'quick', ...extra }) as ScheduleDocument

const slowly = (seconds: number, overlap: ScheduleDocument['overlap']): ScheduleDocument =>
  everyMinute({ definitionId: 'slow', input: { seconds }, ...(overlap === undefined ? {} : { overlap }) } as object)

/** A second after that minute: time for the look and the transaction. */
const past = (n: number): string => new Date(Date.UTC(2026, 0, 1, 0, n, 1)).toISOString()
const minute = (n: number): string => new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString()

describe('firing', () => {
  it('starts a run at each occurrence with its input, or with the occurrence', async () => {
    const v = await openVirtualEngine({ startAt: START, workflows })
    await v.wait(v.engine.schedules.create(everyMinute()))
    await v.wait(v.engine.schedules.create(everyMinute({ id: 'given', input: { n: 7 } })))
    await v.until(past(3))
    expect(await v.fired('each')).toEqual([minute(1), minute(2), minute(3)])
    const [run] = await v.runs('each')
    const view = await v.wait(v.engine.get(run!.instanceId!))
    expect(view).toMatchObject({ status: 'completed', input: { scheduleId: 'each', scheduledAt: minute(1) } })
    const [given] = await v.runs('given')
    expect((await v.wait(v.engine.get(given!.instanceId!))).input).toEqual({ n: 7 })
    expect(v.sim.check()).toEqual([])
  })

  it('skips an occurrence while an earlier one runs', async () => {
    const v = await openVirtualEngine({ startAt: START, workflows })
    await v.wait(v.engine.schedules.create(slowly(90, 'skip')))
    await v.until(past(5))
    expect(await v.fired('each')).toEqual([minute(1), minute(3), minute(5)])
    expect((await v.runs('each')).filter((run) => run.state === 'skipped')).toMatchObject([
      { reason: 'overlap', nominalAt: Date.parse(minute(2)) },
      { reason: 'overlap', nominalAt: Date.parse(minute(4)) },
    ])
  })

  it('starts a queued occurrence when the one before it ends', async () => {
    const v = await openVirtualEngine({ startAt: START, workflows })
    await v.wait(v.engine.schedules.create(slowly(90, 'queue')))
    await v.until('2026-01-01T00:07:00Z')
    const runs = (await v.runs('each')).filter((run) => run.state === 'started')
    expect(runs.map((run) => new Date(run.nominalAt).toISOString())).toEqual([1, 2, 3, 4].map(minute))
    for (const [index, run] of runs.entries()) {
      const before = runs[index - 1]
      if (before !== undefined) expect(run.firedAt! - before.endedAt!).toBeGreaterThanOrEqual(0)
      if (before !== undefined) expect(run.firedAt! - before.endedAt!).toBeLessThan(1_000)
    }
    expect((await v.runs('each')).filter((run) => run.state === 'waiting')).not.toEqual([])
  })

  it('lets runs overlap where they may', async () => {
    const v = await openVirtualEngine({ startAt: START, workflows })
    await v.wait(v.engine.schedules.create(slowly(600, 'allow')))
    await v.until(past(4))
    const runs = await v.runs('each')
    expect(runs).toHaveLength(4)
    expect(runs.every((run) => run.endedAt === undefined)).toBe(true)
  })

  it('cancels what runs and then starts the next, never both at once', async () => {
    const v = await openVirtualEngine({ startAt: START, workflows })
    await v.wait(v.engine.schedules.create(slowly(600, 'cancel-previous')))
    await v.until('2026-01-01T00:03:30Z')
    const runs = (await v.runs('each')).filter((run) => run.state === 'started')
    expect(runs.map((run) => run.status)).toEqual(['cancelled', 'cancelled', undefined])
    expect(runs[1]!.firedAt!).toBeGreaterThanOrEqual(runs[0]!.endedAt!)
    expect(runs[2]!.firedAt!).toBeGreaterThanOrEqual(runs[1]!.endedAt!)
  })

  it.each([
    ['fire-once', [minute(30)]],
    ['skip', []],
    [{ catchUp: 3 }, [minute(28), minute(29), minute(30)]],
  ] as const)('after an absence of all nodes: %j', async (misfire, expected) => {
    let misfires = 0
    const nothing = (): void => {}
    const metrics: EngineMetrics = {
      ...{ committed: nothing, ended: nothing, stepped: nothing, stepFailed: nothing, claimed: nothing },
      ...{ timerFired: nothing, schedulerLooked: nothing },
      schedulesFired: (_started, _waiting, _skipped, missed) => {
        misfires += missed
      },
    }
    const v = await openVirtualEngine({ startAt: START, workflows, scheduler: 'off', metrics })
    await v.wait(v.engine.schedules.create(everyMinute({ misfire, graceMs: 1_000, overlap: 'allow' })))
    // A calendar keeps all of these back: none of them was missed.
    const calendars = [{ name: 'new year', dates: ['01-01'] }]
    await v.wait(v.engine.schedules.create(everyMinute({ id: 'closed', calendars, overlap: 'allow' })))
    await v.until('2026-01-01T00:30:30Z')
    expect(await v.fired('each')).toEqual([])
    const { started } = await v.wait(v.engine.schedules.runDue())
    expect(started).toBe(expected.length)
    expect(await v.fired('each')).toEqual(expected)
    const [missed] = (await v.runs('each')).filter((run) => run.state === 'skipped')
    expect(missed).toMatchObject({ reason: 'misfire', count: 30 - expected.length, nominalAt: Date.parse(minute(1)) })
    expect(misfires).toBe(30 - expected.length)
    expect(await v.wait(v.engine.schedules.runDue())).toEqual({ started: 0, waiting: 0, skipped: 0 })
  })

  it('lets occurrences go by while it is paused, and says so', async () => {
    const v = await openVirtualEngine({ startAt: START, workflows })
    await v.wait(v.engine.schedules.create(everyMinute()))
    await v.until('2026-01-01T00:01:30Z')
    expect(await v.wait(v.engine.schedules.pause('each'))).toMatchObject({ paused: true, revision: 2 })
    await v.until('2026-01-01T00:10:30Z')
    expect(await v.wait(v.engine.schedules.resume('each'))).toMatchObject({ paused: false, revision: 3 })
    await v.until('2026-01-01T00:12:30Z')
    expect(await v.fired('each')).toEqual([minute(1), minute(11), minute(12)])
    expect((await v.runs('each')).filter((run) => run.state === 'skipped')).toMatchObject([
      { reason: 'paused', count: 9, nominalAt: Date.parse(minute(2)), lastAt: Date.parse(minute(10)) },
    ])
  })

  it('fires nothing that went by when it is written without its pause', async () => {
    const v = await openVirtualEngine({ startAt: START, workflows })
    await v.wait(v.engine.schedules.create(everyMinute({ paused: true })))
    await v.wait(
      v.engine.schedules.create(everyMinute({ id: 'single', trigger: { at: minute(5) }, paused: true } as object)),
    )
    await v.until('2026-01-01T00:10:30Z')
    await v.wait(v.engine.schedules.put(everyMinute()))
    await v.wait(v.engine.schedules.resume('single'))
    await v.until(past(11))
    expect(await v.fired('each')).toEqual([minute(11)])
    expect((await v.runs('each'))[0]).toMatchObject({ state: 'skipped', reason: 'paused', count: 10 })
    expect(await v.runs('single')).toMatchObject([{ state: 'skipped', reason: 'paused' }])
  })

  it('goes by its new times when it was removed and made anew', async () => {
    const v = await openVirtualEngine({ startAt: START, workflows })
    await v.wait(v.engine.schedules.create(everyMinute()))
    await v.until(past(2))
    await v.wait(v.engine.schedules.remove('each'))
    await v.wait(v.engine.schedules.create(everyMinute({ trigger: { cron: '*/5 * * * *' } } as object)))
    await v.until(past(12))
    expect(await v.fired('each')).toEqual([1, 2, 5, 10].map(minute))
  })

  it('fires a single moment once, one that has passed at once', async () => {
    const v = await openVirtualEngine({ startAt: START, workflows })
    const at = (id: string, instant: string) => everyMinute({ id, trigger: { at: instant } } as object)
    await v.wait(v.engine.schedules.create(at('soon', minute(5))))
    await v.wait(v.engine.schedules.create(at('past', '2025-12-31T23:00:00Z')))
    await v.until(past(9))
    expect(await v.fired('soon')).toEqual([minute(5)])
    expect(await v.runs('past')).toMatchObject([{ state: 'started', late: true }])
    // Written again as it is, it has fired all the same.
    await v.wait(v.engine.schedules.put(at('past', '2025-12-31T23:00:00Z')))
    await v.until(past(12))
    expect(await v.runs('past')).toHaveLength(1)
    expect((await v.wait(v.engine.schedules.get('soon'))).nextAt).toBeUndefined()
  })

  it('keeps its place when something else than its times changes', async () => {
    const v = await openVirtualEngine({ startAt: START, workflows, scheduler: 'off' })
    await v.wait(v.engine.schedules.create(everyMinute()))
    await v.until('2026-01-01T00:01:01Z')
    await v.wait(v.engine.schedules.put(everyMinute({ name: 'Each minute' })))
    expect((await v.wait(v.engine.schedules.get('each'))).nextAt).toBe(Date.parse(minute(1)))
    await v.wait(v.engine.schedules.put(everyMinute({ trigger: { cron: '*/2 * * * *' } } as object)))
    expect((await v.wait(v.engine.schedules.get('each'))).nextAt).toBe(Date.parse(minute(2)))
  })

  it('records a run of a workflow that does not exist, and goes on', async () => {
    const v = await openVirtualEngine({ startAt: START, workflows })
    await v.wait(v.engine.schedules.create(everyMinute({ definitionId: 'nowhere' } as object)))
    await v.until(past(2))
    expect(await v.runs('each')).toMatchObject([
      { state: 'skipped', reason: 'no-definition' },
      { state: 'skipped', reason: 'no-definition' },
    ])
    await expect(v.wait(v.engine.schedules.triggerNow('each'))).rejects.toMatchObject({ code: 'DEFINITION_NOT_FOUND' })
  })
})

describe('requests', () => {
  it('runs once per key, and answers alike when asked again', async () => {
    const v = await openVirtualEngine({ startAt: START, workflows })
    const { schedules } = v.engine
    await v.wait(schedules.create(slowly(300, 'skip')))
    const first = await v.wait(schedules.triggerNow('each', { key: 'a' }))
    expect(first).toMatchObject({ outcome: 'started', created: true })
    expect(await v.wait(schedules.triggerNow('each', { key: 'a' }))).toEqual({ ...first, created: false })
    const second = await v.wait(schedules.triggerNow('each', { key: 'b' }))
    expect(second).toMatchObject({ outcome: 'skipped', reason: 'overlap', created: true })
    await v.until('2026-01-01T00:09:30Z')
    expect(await v.wait(schedules.triggerNow('each', { key: 'b' }))).toEqual({ ...second, created: false })
    expect(await v.wait(schedules.triggerNow('each', { force: true }))).toMatchObject({ outcome: 'started' })
    await v.wait(schedules.pause('each'))
    expect(await v.wait(schedules.triggerNow('each', { force: true }))).toMatchObject({ outcome: 'started' })
    await expect(v.wait(schedules.triggerNow('none'))).rejects.toMatchObject({ code: 'SCHEDULE_NOT_FOUND' })
  })

  it('queues where the schedule says so, and starts with the input it was given', async () => {
    const v = await openVirtualEngine({ startAt: START, workflows })
    const { schedules } = v.engine
    const document = { ...slowly(30, 'queue'), trigger: { cron: '0 0 1 1 *' } } as ScheduleDocument
    await v.wait(schedules.create(document))
    await v.wait(schedules.triggerNow('each', { key: 'a' }))
    const queued = await v.wait(schedules.triggerNow('each', { key: 'b', input: { seconds: 1 } }))
    expect(queued.outcome).toBe('queued')
    await v.until('2026-01-01T00:02:00Z')
    const runs = await v.runs('each')
    expect(runs.map((run) => run.status)).toEqual(['completed', 'completed'])
    expect((await v.wait(v.engine.get(runs[1]!.instanceId!))).input).toEqual({ seconds: 1 })
  })

  it('fills in what never fired, oldest first, and repeats nothing', async () => {
    const v = await openVirtualEngine({ startAt: '2026-01-01T00:10:30Z', workflows })
    const { schedules } = v.engine
    await v.wait(schedules.create(slowly(5, 'skip')))
    await v.until('2026-01-01T00:11:30Z')
    const range = { from: '2026-01-01T00:05:00Z', to: '2026-01-01T00:20:00Z' }
    expect(await v.wait(schedules.backfill('each', range))).toEqual({
      started: 1,
      queued: 5,
      existing: 1,
      moreFrom: undefined,
    })
    await v.until('2026-01-01T00:11:59Z')
    await v.sim.run(20_000)
    const runs = (await v.runs('each')).filter((run) => run.origin === 'backfill')
    expect(runs.map((run) => new Date(run.nominalAt).toISOString())).toEqual([5, 6, 7, 8, 9, 10].map(minute))
    expect(runs.every((run) => run.status === 'completed')).toBe(true)
    expect(runs.every((run, index) => index === 0 || run.firedAt! >= runs[index - 1]!.endedAt!)).toBe(true)
    expect(await v.wait(schedules.backfill('each', { ...range, to: minute(11) }))).toMatchObject({
      started: 0,
      existing: 6,
    })
  })

  it('fills in although the first of the range had fired already', async () => {
    const v = await openVirtualEngine({ startAt: '2026-01-01T00:10:30Z', workflows })
    const { schedules } = v.engine
    await v.wait(schedules.create(slowly(5, 'skip')))
    await v.wait(schedules.backfill('each', { from: minute(5), to: minute(6) }))
    await v.until('2026-01-01T00:10:50Z')
    expect(await v.wait(schedules.backfill('each', { from: minute(5), to: minute(8) }))).toMatchObject({ existing: 1 })
    await v.until('2026-01-01T00:11:59Z')
    const filled = (await v.runs('each')).filter((run) => run.origin === 'backfill')
    expect(filled.map((run) => run.status)).toEqual(['completed', 'completed', 'completed'])
  })

  it('says what will fire, of a schedule and of a document', async () => {
    const v = await openVirtualEngine({ startAt: START, workflows })
    const { schedules } = v.engine
    const document = everyMinute({ trigger: { cron: '30 2 * * *', zone: 'Europe/Berlin' }, dst: 'skip' } as object)
    const from = '2026-03-27T12:00:00Z'
    const lines = await v.wait(schedules.preview(document, { count: 2, from }))
    expect(lines.map(({ status, wall }) => [status, wall])).toEqual([
      ['fires', '2026-03-28T02:30:00'],
      ['dropped', '2026-03-29T03:00:00'],
      ['fires', '2026-03-30T02:30:00'],
    ])
    await v.wait(schedules.create(document))
    expect(await v.wait(schedules.preview('each', { count: 2, from }))).toEqual(lines)
  })
})

describe('the loop', () => {
  it('asks the store less than once in two seconds while nothing happens, and once a fire otherwise', async () => {
    const sim = simulation({ seed: 1, startAt: Date.parse(START) })
    const { store, clock, random, bus } = sim.node('only')
    const calls: string[] = []
    const schedules = new Proxy(store.schedules, {
      get: (port, method) => {
        calls.push(String(method))
        return Reflect.get(port, method)
      },
    })
    const opening = Engine.open({ store: { ...store, schedules }, clock, random, bus, workflows })
    await sim.run(1_000)
    const engine = await opening
    calls.length = 0
    await sim.run(60_000)
    expect(calls.length).toBeLessThanOrEqual(30)
    expect(new Set(calls)).toEqual(new Set(['look']))
    const creating = engine.schedules.create(everyMinute({ trigger: { cron: '0 12 * * *' } } as object))
    await sim.run(1_000)
    await creating
    calls.length = 0
    await sim.run(60_000)
    expect(calls.length).toBeLessThanOrEqual(30)
  })

  it('goes on after the store was away', async () => {
    const v = await openVirtualEngine({ startAt: START, workflows })
    await v.wait(v.engine.schedules.create(everyMinute()))
    v.sim.store.useFaults({ failed: 1 })
    await v.until(past(3))
    v.sim.store.useFaults({ failed: 0 })
    await v.until('2026-01-01T00:03:30Z')
    expect(await v.fired('each')).toContain(minute(3))
    expect((await v.wait(v.engine.schedules.get('each'))).nextAt).toBe(Date.parse(minute(4)))
  })

  it('leaves alone a schedule that this node cannot read, and fires the others', async () => {
    const v = await openVirtualEngine({ startAt: START, workflows })
    for (const id of ['broken', 'each']) await v.wait(v.engine.schedules.create(everyMinute({ id })))
    const row = [...v.sim.store.inspect().schedules.values()].find((each) => each.id === 'broken')!
    row.document = JSON.stringify({ ...JSON.parse(row.document), trigger: { cron: '* * * * *', zone: 'Mars/Olympus' } })
    await v.until(past(2))
    expect(await v.fired('each')).toEqual([minute(1), minute(2)])
    expect(await v.fired('broken')).toEqual([])
    expect((await v.wait(v.engine.schedules.get('broken'))).nextAt).toBe(Date.parse(minute(1)))
  })
})

describe('changing schedules', () => {
  it('guards every change by the revision that was read', async () => {
    const v = await openVirtualEngine({ startAt: START, workflows })
    const { schedules } = v.engine
    await v.wait(schedules.create(everyMinute()))
    await expect(v.wait(schedules.create(everyMinute()))).rejects.toMatchObject({ code: 'SCHEDULE_EXISTS' })
    const put = await v.wait(schedules.put(everyMinute({ name: 'new' }), { revision: 1 }))
    expect(put.revision).toBe(2)
    const changed = { code: 'SCHEDULE_CHANGED', details: { scheduleId: 'each', revision: 2 } }
    await expect(v.wait(schedules.put(everyMinute(), { revision: 1 }))).rejects.toMatchObject(changed)
    await expect(v.wait(schedules.pause('each', { revision: 1 }))).rejects.toMatchObject(changed)
    await expect(v.wait(schedules.remove('each', { revision: 1 }))).rejects.toMatchObject(changed)
    await v.wait(schedules.remove('each', { revision: 2 }))
    await expect(v.wait(schedules.get('each'))).rejects.toMatchObject({ code: 'SCHEDULE_NOT_FOUND' })
    await expect(v.wait(schedules.put(everyMinute(), { revision: 2 }))).rejects.toMatchObject({
      code: 'SCHEDULE_NOT_FOUND',
    })
  })

  it('refuses a document that cannot fire as written', async () => {
    const v = await openVirtualEngine({ startAt: START, workflows })
    const bad = everyMinute({ trigger: { cron: '61 * * * *', zone: 'Mars/Olympus' } } as object)
    await expect(v.wait(v.engine.schedules.create(bad))).rejects.toMatchObject({ code: 'SCHEDULE_INVALID' })
    const heavy = everyMinute({ input: 'x'.repeat(2 ** 21) })
    await expect(v.wait(v.engine.schedules.create(heavy))).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' })
    expect(await v.wait(v.engine.schedules.list())).toEqual([])
  })

  it('fires a new schedule before the next poll', async () => {
    const v = await openVirtualEngine({ startAt: START, workflows })
    await v.sim.run(20)
    await v.wait(v.engine.schedules.create(everyMinute({ trigger: { interval: '1s' } } as object)))
    await v.sim.run(1_100)
    expect((await v.fired('each')).length).toBeGreaterThanOrEqual(1)
    expect(v.sim.clock.now() - Date.parse(START)).toBeLessThan(MINUTE_MS)
  })
})
