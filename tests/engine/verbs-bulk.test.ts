import type { BulkRequest } from '@lockstep/engine'
import { describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from './open-test-engine.ts'
import { chain, done, effect, ended, healthy, until, waits } from './verbs-fixture.ts'

const over = async (t: TestEngine, id: string) => {
  await until(async () => (await t.engine.bulk.get(id))?.finishedAt !== undefined)
  return (await t.engine.bulk.get(id))!
}

const flaky = () => {
  const broken = new Set<string>()
  const run = effect('flaky', async (_inputs, { step }) => {
    if (broken.has(step)) throw Object.assign(new Error(`${step} is broken`), { code: 'BROKEN' })
    return done()
  })
  return { broken, run }
}

describe('bulk', () => {
  it('freezes its filter, works it off, and says what became of each', async () => {
    await using t = await openTestEngine()
    await t.publish(waits())
    await t.publish(waits('others'))
    const started = await t.engine.startMany(Array.from({ length: 120 }, () => ({ definitionId: 'waits' })))
    const other = (await t.engine.start({ definitionId: 'others' })).instanceId
    await until(async () => (await t.engine.list({ definitionId: 'waits', status: 'suspended' }, 200)).length === 120)
    const request: BulkRequest = { verb: 'terminate', filter: { definitionId: 'waits' }, note: 'a test' }
    const preview = await t.engine.bulk.preview(request)
    expect(preview).toMatchObject({ count: 120, exact: true })
    expect(preview.sample).toHaveLength(10)
    const { id } = await t.engine.bulk.start(request)
    const late = (await t.engine.start({ definitionId: 'waits' })).instanceId
    expect(await over(t, id)).toMatchObject({
      ...{ state: 'done', total: 120, cut: false, verb: 'terminate', note: 'a test', outcomes: { accepted: 120 } },
    })
    for (const { instanceId } of started) expect(await ended(t, instanceId)).toMatchObject({ status: 'terminated' })
    for (const alive of [late, other]) expect((await t.engine.get(alive)).finishedAt).toBeUndefined()
    const items = await t.engine.bulk.items(id, { limit: 200 })
    expect(new Set(items.map((item) => item.instanceId))).toEqual(new Set(started.map((each) => each.instanceId)))
    expect(await t.engine.bulk.list()).toMatchObject([{ id }])
    await healthy(t)
  })

  it('notes what it could not do, keeps to its limit, and takes ids as they are', async () => {
    await using t = await openTestEngine()
    await t.publish(waits())
    const ids = (await t.engine.startMany(Array.from({ length: 5 }, () => ({ definitionId: 'waits' })))).map(
      (each) => each.instanceId,
    )
    await t.engine.verbs.terminate(ids[0]!)
    await ended(t, ids[0]!)
    const nobody = '00000000-0000-7000-8000-000000000000'
    const named = await t.engine.bulk.start({ verb: 'pause', filter: { instanceIds: [ids[0]!, ids[1]!, nobody] } })
    expect(await over(t, named.id)).toMatchObject({
      ...{ total: 3, outcomes: { accepted: 1, 'wrong-state': 1, 'not-found': 1 } },
    })
    expect(await t.engine.bulk.items(named.id, { outcome: 'wrong-state' })).toEqual([
      { instanceId: ids[0], outcome: 'wrong-state', detail: 'terminated' },
    ])
    await t.rests(ids[1]!, 'paused')
    const few = await t.engine.bulk.start({ verb: 'cancel', filter: { definitionId: 'waits' }, limit: 2 })
    expect(await over(t, few.id)).toMatchObject({ total: 2, cut: true, outcomes: { accepted: 2 } })
    const migrated = await t.engine.bulk.start({
      verb: 'migrate',
      filter: { instanceIds: [ids[4]!] },
      options: { version: 1 },
    })
    expect(await over(t, migrated.id)).toMatchObject({ outcomes: { failed: 1 } })
  })

  it('rests while it is paused, outlives the node that worked on it, and is gone on with by another', async () => {
    await using t = await openTestEngine()
    await t.publish(waits())
    await t.publish(waits('others'))
    const started = await t.engine.startMany(Array.from({ length: 300 }, () => ({ definitionId: 'waits' })))
    const { instanceId: other } = await t.engine.start({ definitionId: 'others' })
    const first = await t.beside({})
    const { id } = await first.engine.bulk.start({ verb: 'pause', filter: { definitionId: 'waits' } })
    expect(await first.engine.bulk.pause(id)).toBe(true)
    await first[Symbol.asyncDispose]()
    const standing = (await t.engine.bulk.get(id))!
    expect(standing).toMatchObject({ state: 'paused', finishedAt: undefined })
    const { id: next } = await t.engine.bulk.start({ verb: 'pause', filter: { definitionId: 'others' } })
    expect(await over(t, next)).toMatchObject({ state: 'done', total: 1 })
    await t.rests(other, 'paused')
    expect(await t.engine.bulk.get(id)).toEqual(standing)
    expect(await t.engine.bulk.continue(id)).toBe(true)
    const { outcomes, total } = await over(t, id)
    expect([total, Object.values(outcomes).reduce((sum, each) => sum + each, 0)]).toEqual([300, 300])
    for (const { instanceId } of started) await t.rests(instanceId, 'paused')
    for (const steer of ['pause', 'continue'] as const)
      for (const which of [id, 'nonsense']) expect(await t.engine.bulk[steer](which)).toBe(false)
  })

  it('can be cancelled, and says when there is nothing to cancel', async () => {
    await using t = await openTestEngine()
    await t.publish(waits())
    await t.engine.start({ definitionId: 'waits' })
    const { id } = await t.engine.bulk.start({ verb: 'pause', filter: { definitionId: 'waits' } })
    const cancelled = await t.engine.bulk.cancel(id)
    const operation = await over(t, id)
    expect(operation.state).toBe(cancelled ? 'cancelled' : 'done')
    expect(await t.engine.bulk.cancel(id)).toBe(false)
    expect(await t.engine.bulk.cancel('nonsense')).toBe(false)
    expect(await t.engine.bulk.get('nonsense')).toBeUndefined()
  })
})

describe('incidents', () => {
  it('are listed, grouped by what is alike, and retried together', async () => {
    const { broken, run } = flaky()
    broken.add('a').add('b')
    await using t = await openTestEngine({ activities: [run] })
    await t.publish(chain('one', [{ id: 'a', type: 'flaky' }]))
    await t.publish(chain('two', [{ id: 'b', type: 'flaky' }]))
    const ones = await Promise.all(Array.from({ length: 3 }, () => t.run('one')))
    const { instanceId: two } = await t.run('two')
    const { incidents } = t.engine
    expect(await incidents.countOpen()).toEqual({ value: 4, exact: true })
    const [largest, ...rest] = await incidents.groups()
    expect(largest).toMatchObject({ definitionId: 'one', code: 'BROKEN', step: 'a', open: 3, instances: 3 })
    expect(rest).toMatchObject([{ definitionId: 'two', open: 1 }])
    const page = await incidents.list({ state: 'open', limit: 3 })
    expect(page.incidents).toHaveLength(3)
    expect(page.count).toEqual({ value: 4, exact: true })
    expect((await incidents.list({ definitionId: 'two', limit: 1 })).count).toEqual({ value: 1, exact: true })
    const last = await incidents.list({ state: 'open', limit: 3, before: page.next! })
    expect(last).toMatchObject({ incidents: [{ definitionId: 'one' }], next: undefined })
    expect((await incidents.list({ definitionId: 'two' })).incidents).toMatchObject([{ instanceId: two, step: 'b' }])
    expect((await incidents.list({ code: 'OTHER' })).incidents).toEqual([])

    broken.delete('a')
    expect(await incidents.resolveAlike(largest!.fingerprint, { retry: true, note: 'mended' })).toEqual({
      ...{ outcomes: { resolved: 3 }, more: false },
    })
    for (const { instanceId } of ones) expect(await ended(t, instanceId)).toMatchObject({ status: 'completed' })
    const [only] = (await incidents.list({ state: 'open' })).incidents
    await expect(incidents.resolve(only!.id, { outcome: 'completed' })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
    })
    expect(await incidents.resolve(only!.id, { note: 'known' })).toEqual({ outcome: 'resolved', instanceId: two })
    expect(await incidents.resolve(only!.id)).toEqual({ outcome: 'already-resolved' })
    expect(await incidents.resolve('nonsense')).toEqual({ outcome: 'not-found' })
    expect((await t.engine.get(two)).status).toBe('faulted')
    expect((await incidents.list({ state: 'resolved' })).incidents).toHaveLength(4)
    await healthy(t)
  })
})
