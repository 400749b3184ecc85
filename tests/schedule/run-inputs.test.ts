/** What schedules hand to workflows is checked as every other start is: when it is asked for, when it is saved, and when it fires. */
import type { Engine, ScheduleDocument } from '@lockstep/engine'
import { describe, expect, it } from 'vitest'
import { openVirtualEngine, type VirtualEngine } from './virtual-engine.ts'

const START = '2026-01-01T00:00:30Z'
const TENANT = 'default'
const past = (n: number): string => new Date(Date.UTC(2026, 0, 1, 0, n, 1)).toISOString()

type Draft = Parameters<Engine['definitions']['create']>[1]

const wants = (type: string) => ({ type: 'object', properties: { a: { type } }, required: ['a'] })
const wantsA = { code: 'INPUT_INVALID', details: { problems: [{ pointer: '/a' }] } }

/** Takes a while, so that runs of it may have to wait. */
const adds = (input?: object): Draft =>
  ({
    id: 'adds',
    name: 'Adds',
    ...(input === undefined ? {} : { input }),
    activities: [{ id: 'rest', type: 'delay', inputs: { duration: '90s' } }],
    connections: [],
  }) as unknown as Draft

const each = (extra: Partial<ScheduleDocument> = {}): ScheduleDocument =>
  ({ id: 'each', trigger: { cron: '* * * * *' }, definitionId: 'adds', ...extra }) as ScheduleDocument

async function opened(input?: object): Promise<VirtualEngine> {
  const v = await openVirtualEngine({ startAt: START })
  await v.wait(v.engine.definitions.create(TENANT, adds(input)))
  await v.wait(v.engine.definitions.publish(TENANT, 'adds'))
  return v
}

async function publish(v: VirtualEngine, input: object): Promise<void> {
  await v.wait(v.engine.definitions.saveDraft(TENANT, 'adds', adds(input), undefined))
  await v.wait(v.engine.definitions.publish(TENANT, 'adds'))
}

describe('the input of a schedule', () => {
  it('is refused when it is triggered with what does not fit, and nothing runs', async () => {
    const v = await opened(wants('number'))
    await v.wait(v.engine.schedules.create(each({ paused: true, input: { a: 1 } })))
    await expect(v.wait(v.engine.schedules.triggerNow('each', { input: { a: 'x' } }))).rejects.toMatchObject(wantsA)
    expect(await v.runs('each')).toEqual([])
    expect(await v.wait(v.engine.schedules.triggerNow('each'))).toMatchObject({ outcome: 'started' })
  })

  it('is refused when it is saved, once its workflow is there', async () => {
    const v = await opened(wants('number'))
    const { schedules } = v.engine
    await expect(v.wait(schedules.create(each({ input: { a: 'nope' } })))).rejects.toMatchObject(wantsA)
    await v.wait(schedules.create(each({ input: { a: 1 } })))
    await expect(v.wait(schedules.put(each({ input: { a: 'nope' } })))).rejects.toMatchObject(wantsA)
    expect((await v.wait(schedules.get('each'))).document.input).toEqual({ a: 1 })
    await v.wait(schedules.create(each({ id: 'early', definitionId: 'to-come', input: { a: 'nope' } })))
  })

  it('is refused by a backfill whose runs lack what the workflow needs', async () => {
    const v = await opened(wants('number'))
    await v.wait(v.engine.schedules.create(each({ paused: true })))
    const range = { from: '2025-12-31T23:00:00Z', to: '2025-12-31T23:05:00Z' }
    await expect(v.wait(v.engine.schedules.backfill('each', range))).rejects.toMatchObject({ code: 'INPUT_INVALID' })
    expect(await v.runs('each')).toEqual([])
  })

  it('does not matter to who repeats a key that has run: the same run is answered', async () => {
    const v = await opened(wants('number'))
    await v.wait(v.engine.schedules.create(each({ paused: true, overlap: 'queue' })))
    const ask = (key: string) => v.wait(v.engine.schedules.triggerNow('each', { key, input: { a: 1 } }))
    const first = await ask('first')
    expect([first, await ask('second')]).toMatchObject([{ outcome: 'started' }, { outcome: 'queued', created: true }])
    await publish(v, wants('string'))
    expect(await ask('first')).toEqual({ ...first, created: false })
    expect(await ask('second')).toMatchObject({ outcome: 'queued', created: false })
    await expect(ask('third')).rejects.toMatchObject(wantsA)
    expect(await v.runs('each')).toHaveLength(2)
  })

  it('does not matter to a backfill where occurrences have run already, among many others', async () => {
    const v = await opened(wants('number'))
    const document = each({ paused: true, input: { a: 1 }, overlap: 'allow' })
    await v.wait(v.engine.schedules.create(document))
    const range = { from: '2025-12-31T23:00:00Z', to: '2025-12-31T23:03:00Z' }
    expect(await v.wait(v.engine.schedules.backfill('each', range))).toMatchObject({ started: 3, existing: 0 })
    const others = { from: '2025-12-30T00:00:00Z', to: '2025-12-30T16:40:00Z' }
    expect(await v.wait(v.engine.schedules.backfill('each', others))).toMatchObject({ started: 1_000 })
    await publish(v, wants('string'))
    expect(await v.wait(v.engine.schedules.backfill('each', range))).toMatchObject({ started: 0, existing: 3 })
    const wider = { ...range, to: '2025-12-31T23:04:00Z' }
    await expect(v.wait(v.engine.schedules.backfill('each', wider))).rejects.toMatchObject({ code: 'INPUT_INVALID' })
    expect((await v.runs('each')).at(-1)!.key).toBe('each@2025-12-30T16:39:00.000Z')
  })

  it('that fits no more when it fires starts nothing, once per occurrence, and says so among the runs', async () => {
    const v = await opened(wants('number'))
    await v.wait(v.engine.schedules.create(each({ input: { a: 1 }, overlap: 'allow' })))
    await v.until(past(1))
    await publish(v, wants('string'))
    await v.until(past(3))
    const runs = await v.runs('each')
    expect(runs.map((run) => run.state)).toEqual(['started', 'skipped', 'skipped'])
    expect(runs[1]).toMatchObject({ instanceId: undefined, reason: expect.stringMatching(/^input-invalid: \/a /) })
    const view = await v.wait(v.engine.schedules.get('each'))
    expect([view.lastFiredAt, view.nextAt]).toEqual([Date.UTC(2026, 0, 1, 0, 1), Date.UTC(2026, 0, 1, 0, 4)])
    await v.wait(v.engine.schedules.put(each({ input: { a: 'x' }, overlap: 'allow' })))
    await v.until(past(4))
    const last = (await v.runs('each')).at(-1)!
    expect((await v.wait(v.engine.get(last.instanceId!))).version).toBe(2)
    expect(v.sim.check()).toEqual([])
  })

  it('of a run that waited is looked at again when its turn comes, and those behind it are not held up', async () => {
    const v = await opened(wants('number'))
    await v.wait(v.engine.schedules.create(each({ paused: true, input: { a: 1 }, overlap: 'queue' })))
    await v.wait(v.engine.schedules.triggerNow('each', { key: 'first' }))
    await v.wait(v.engine.schedules.triggerNow('each', { key: 'second' }))
    await v.sim.run(1_000)
    await publish(v, { type: 'object', properties: { a: { type: ['string', 'boolean'] } } })
    await v.wait(v.engine.schedules.triggerNow('each', { key: 'third', input: { a: true } }))
    await v.wait(v.engine.schedules.put(each({ trigger: { at: '2027-01-01T00:00:00Z' }, overlap: 'queue' } as object)))
    await v.sim.run(120_000)
    const runs = await v.runs('each')
    expect(runs.map((run) => [run.key.split(':').at(-1), run.state])).toEqual([
      ['first', 'started'],
      ['second', 'skipped'],
      ['third', 'started'],
    ])
    expect(runs[1]!.reason).toMatch(/^input-invalid: \/a /)
  })
})
