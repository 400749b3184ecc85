/** Triggers in graphs: their schedules come with publishing, change with the next version, and go when it is retracted. */
import { Engine } from '@lockstep/engine'
import { describe, expect, it } from 'vitest'
import { openVirtualEngine } from './virtual-engine.ts'

const START = '2026-01-01T00:00:30Z'
const TENANT = 'default'

const document = (triggers: readonly object[]) =>
  ({
    id: 'reports',
    name: 'Reports',
    activities: [
      ...triggers,
      { id: 'note', type: 'set-output', inputs: { name: 'by', value: { $expr: 'input.scheduledAt' } } },
    ],
    connections: triggers.map((trigger) => ({ from: (trigger as { id: string }).id, to: 'note' })),
  }) as unknown as Parameters<Engine['definitions']['create']>[1]

const every = (id: string, cron: string, more: object = {}) => ({ id, type: 'cron', inputs: { cron, ...more } })

async function publish(v: Awaited<ReturnType<typeof openVirtualEngine>>, triggers: readonly object[]): Promise<void> {
  const { definitions } = v.engine
  const exists = (await v.wait(definitions.list(TENANT, undefined, 10))).length > 0
  if (exists) await v.wait(definitions.saveDraft(TENANT, 'reports', document(triggers), undefined))
  else await v.wait(definitions.create(TENANT, document(triggers)))
  await v.wait(definitions.publish(TENANT, 'reports'))
}

describe('triggers of a graph', () => {
  it('start it through the trigger that fired', async () => {
    const v = await openVirtualEngine({ startAt: START })
    await publish(v, [every('eachMinute', '* * * * *'), every('hourly', '5 * * * *', { zone: 'Asia/Tokyo' })])
    await v.until('2026-01-01T00:06:00Z')
    const [minutely, hourly] = await v.wait(v.engine.schedules.list())
    expect([minutely!.owner, hourly!.owner]).toEqual(['definition:reports', 'definition:reports'])
    expect(minutely!.id).toMatch(/^reports-eachminute-[0-9a-f]{8}$/)
    const runs = await v.runs(minutely!.id)
    expect(runs.length).toBeGreaterThanOrEqual(5)
    const { instanceId } = runs[0]!
    expect(await v.wait(v.engine.get(instanceId!))).toMatchObject({
      status: 'completed',
      output: { by: '2026-01-01T00:01:00.000Z' },
    })
    const [started] = await v.wait(v.engine.journal(instanceId!))
    expect(started).toMatchObject({ kind: 'started', data: { trigger: 'eachMinute' } })
    expect(await v.fired(hourly!.id)).toEqual(['2026-01-01T00:05:00.000Z'])
    expect(v.sim.check()).toEqual([])
  })

  it('change with the next version; what stays keeps its place, its pause and its runs', async () => {
    const v = await openVirtualEngine({ startAt: START })
    await publish(v, [every('a', '* * * * *'), every('b', '* * * * *')])
    await v.sim.run(10_000)
    const before = await v.wait(v.engine.schedules.list())
    await v.wait(v.engine.schedules.pause(before[0]!.id))
    await publish(v, [every('a', '*/10 * * * *'), every('c', '* * * * *')])
    await v.sim.run(10_000)
    const after = await v.wait(v.engine.schedules.list())
    expect(after.map((each) => each.id.split('-')[1])).toEqual(['a', 'c'])
    expect(after[0]).toMatchObject({ id: before[0]!.id, paused: true, document: { trigger: { cron: '*/10 * * * *' } } })
  })

  it('go when it is retracted, and come back with it', async () => {
    const v = await openVirtualEngine({ startAt: START })
    await publish(v, [every('a', '* * * * *')])
    await v.sim.run(10_000)
    expect(await v.wait(v.engine.schedules.list())).toHaveLength(1)
    await v.wait(v.engine.definitions.retract(TENANT, 'reports'))
    await v.sim.run(10_000)
    expect(await v.wait(v.engine.schedules.list())).toEqual([])
    await v.wait(v.engine.definitions.publish(TENANT, 'reports'))
    await v.sim.run(10_000)
    expect(await v.wait(v.engine.schedules.list())).toHaveLength(1)
  })

  it('stay paused when it is retracted and published again: the pause is whose who made it', async () => {
    const v = await openVirtualEngine({ startAt: START })
    await publish(v, [every('a', '* * * * *')])
    await v.sim.run(10_000)
    const [schedule] = await v.wait(v.engine.schedules.list())
    await v.wait(v.engine.schedules.pause(schedule!.id))
    await v.wait(v.engine.definitions.retract(TENANT, 'reports'))
    await v.sim.run(10_000)
    expect(await v.wait(v.engine.schedules.list())).toEqual([])
    await v.wait(v.engine.definitions.publish(TENANT, 'reports'))
    await v.until('2026-01-01T00:05:00Z')
    expect(await v.wait(v.engine.schedules.get(schedule!.id))).toMatchObject({ paused: true })
    expect(await v.fired(schedule!.id)).toEqual([])
    await v.wait(v.engine.schedules.resume(schedule!.id))
    await v.until('2026-01-01T00:07:30Z')
    expect((await v.fired(schedule!.id)).length).toBeGreaterThan(0)
  })

  it('are not removed by hand: the workflow would never fire again', async () => {
    const v = await openVirtualEngine({ startAt: START })
    await publish(v, [every('a', '* * * * *')])
    await v.sim.run(10_000)
    const [schedule] = await v.wait(v.engine.schedules.list())
    const owned = { code: 'SCHEDULE_OWNED', details: { owner: 'definition:reports' } }
    await expect(v.wait(v.engine.schedules.remove(schedule!.id))).rejects.toMatchObject(owned)
    await v.until('2026-01-01T00:02:10Z')
    expect(await v.fired(schedule!.id)).toHaveLength(2)
  })

  it('follow although the node that published died at once', async () => {
    const v = await openVirtualEngine({ startAt: START, scheduler: 'off' })
    await publish(v, [every('a', '* * * * *')])
    v.sim.crash('only')
    const { store, clock, random, bus } = v.sim.node('other')
    const engine = await v.wait(Engine.open({ store, clock, random, bus }))
    await v.sim.run(70_000)
    const [schedule] = await v.wait(engine.schedules.list())
    expect(await v.wait(engine.schedules.runs(schedule!.id))).toMatchObject([{ state: 'started' }])
  })

  it('that cannot be read do not fire, and keep no other from it', async () => {
    const v = await openVirtualEngine({ startAt: START })
    await v.wait(
      v.sim.store.direct.definitions.create(
        TENANT,
        'reports',
        JSON.stringify(document([every('a', '99 * * * *'), every('b', '* * * * *')])),
      ),
    )
    await v.wait(v.sim.store.direct.definitions.publish(TENANT, 'reports', 'h', 1))
    await v.sim.run(40_000)
    expect((await v.wait(v.engine.schedules.list())).map((each) => each.id.split('-')[1])).toEqual(['b'])
  })
})
