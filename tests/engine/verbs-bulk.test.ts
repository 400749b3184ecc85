import { defineError } from '@lockstep/base'
import type { BulkRequest } from '@lockstep/engine'
import type { EngineStore } from '@lockstep/engine/ports'
import { postgresEngineStore } from '@lockstep/postgres'
import { describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from './open-test-engine.ts'
import { chain, done, effect, ended, healthy, until, waits } from './verbs-fixture.ts'

const over = async (t: TestEngine, id: string) => {
  await until(async () => (await t.engine.bulk.get(id))?.finishedAt !== undefined)
  return (await t.engine.bulk.get(id))!
}

const Lost = defineError('LOST', { retryable: true }, (_: object) => 'the store is away')

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

  it('says what it did, though the node that cancelled could not note it: the outcome is written with the wish', async () => {
    await using t = await openTestEngine()
    await t.publish(waits())
    const started = await t.engine.startMany(Array.from({ length: 20 }, () => ({ definitionId: 'waits' })))
    const cancelled = async () => (await t.engine.list({ definitionId: 'waits', status: 'cancelled' }, 50)).length
    const store = postgresEngineStore(t.db)
    const dying: EngineStore = {
      ...store,
      operations: {
        ...store.operations,
        settle: async () => {
          await until(async () => (await cancelled()) === 20)
          throw new Lost({})
        },
      },
    }
    await using beside = await t.beside({ store: dying })
    const { id } = await beside.engine.bulk.start({ verb: 'cancel', filter: { definitionId: 'waits' } })
    for (const { instanceId } of started) expect(await ended(t, instanceId)).toMatchObject({ status: 'cancelled' })
    await t.engine.bulk.continue(id)
    expect(await over(t, id)).toMatchObject({ total: 20, outcomes: { accepted: 20 } })
  })

  it('says not-found of ids that nobody has, whatever the verb', async () => {
    await using t = await openTestEngine()
    const filter = { instanceIds: ['00000000-0000-7000-8000-000000000000'] }
    for (const verb of ['cancel', 'terminate', 'pause', 'continue', 'retry', 'delete'] as const) {
      expect((await t.engine.bulk.preview({ verb, filter })).skipped).toEqual({ 'not-found': 1 })
      const { id } = await t.engine.bulk.start({ verb, filter })
      expect([verb, (await over(t, id)).outcomes]).toEqual([verb, { 'not-found': 1 }])
    }
  })

  it('is gone on with by a node that starts, though the turn is still that of a dead one', async () => {
    await using t = await openTestEngine()
    await t.publish(waits())
    const { instanceId } = await t.engine.start({ definitionId: 'waits' })
    const { operations, maintenance } = postgresEngineStore(t.db)
    const id = '0199a000-0000-7000-8000-000000000002'
    await maintenance.takeTurn('bulk', '0199a000-0000-7000-8000-000000000003', 2_500, true)
    const operation = { tenant: 'default', id, verb: 'cancel', options: '{}', limit: 10, note: undefined }
    await operations.create({ ...operation, filter: { instanceIds: [instanceId] } })
    await using beside = await t.beside({})
    await expect
      .poll(async () => (await beside.engine.bulk.get(id))?.outcomes, { timeout: 10_000 })
      .toEqual({ accepted: 1 })
  })

  it('looks ahead as it works: no further than its limit, and to no version that a workflow does not have', async () => {
    await using t = await openTestEngine()
    await t.publish(waits())
    const started = await t.engine.startMany(Array.from({ length: 5 }, () => ({ definitionId: 'waits' })))
    const ids = started.map((each) => each.instanceId).sort()
    const filter = { definitionId: 'waits' }
    const limited: BulkRequest = { verb: 'pause', filter, limit: 3 }
    const preview = await t.engine.bulk.preview(limited)
    expect([preview.count, preview.skipped, [...preview.sample].sort()]).toEqual([3, { limit: 2 }, ids.slice(0, 3)])
    const { id } = await t.engine.bulk.start(limited)
    expect(await over(t, id)).toMatchObject({ total: 3, cut: true })
    expect((await t.engine.bulk.items(id)).map((item) => item.instanceId)).toEqual(ids.slice(0, 3))
    for (const version of [99, 2_147_483_647]) {
      const which = version === 99 ? filter : { instanceIds: ids }
      const request: BulkRequest = { verb: 'migrate', filter: which, options: { version } }
      const refused = { code: 'INVALID_OPTION', details: { option: 'options.version' } }
      await expect(t.engine.bulk.preview(request)).rejects.toMatchObject(refused)
      await expect(t.engine.bulk.start(request)).rejects.toMatchObject(refused)
    }
    const same: BulkRequest = { verb: 'migrate', filter, options: { version: 1 } }
    expect(await t.engine.bulk.preview(same)).toMatchObject({ count: 0, skipped: { 'same-version': 5 } })
    expect(await t.engine.bulk.list()).toHaveLength(1)
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
