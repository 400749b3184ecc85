import type { NewOperation, Tending } from '@lockstep/engine/ports'
import { describe, expect, it } from 'vitest'
import { type Bench, COMPLETED, checkpoint, HOUR, SUSPENDED, TENANT, WORKFLOW } from './fixture.ts'

const ALL = ['queued', 'running', 'suspended', 'paused', 'completed']
const NOBODY = '00000000-0000-7000-8000-ffffffffffff'

/** Bulk operations and incidents: what operators keep in the store. */
export function operationExamples(open: () => Promise<Bench>): void {
  const operation = (id: string, extra: Partial<NewOperation> = {}): NewOperation => ({
    ...{ tenant: TENANT, id, verb: 'pause', options: '{"reason":"x"}', filter: { definitionId: WORKFLOW } },
    ...{ limit: 100, note: 'n' },
    ...extra,
  })
  const freezeAll = async (b: Bench, id: string): Promise<void> => {
    while ((await b.store.operations.get(TENANT, id))!.state === 'freezing')
      await b.store.operations.freeze(TENANT, id, 2)
  }

  it('freezes what fits, page by page, and nothing that begins later', async () => {
    const b = await open()
    const node = await b.joined()
    const ids = [await b.started(node), await b.started(node), await b.started(node, { correlationId: 'c' })]
    await node.checkpoint(checkpoint(ids[0]!, { then: SUSPENDED }), checkpoint(ids[1]!, { then: COMPLETED }))
    const { operations } = b.store
    const id = b.newId()
    await operations.create(operation(id, { filter: { definitionId: WORKFLOW, statuses: ['suspended', 'running'] } }))
    await operations.create(operation(id))
    expect(await operations.next()).toMatchObject({ id, state: 'freezing', options: { reason: 'x' } })
    await freezeAll(b, id)
    await b.started(node)
    expect(await operations.get(TENANT, id)).toMatchObject({ total: 2, cut: false, state: 'applying', note: 'n' })
    expect(await operations.pending(TENANT, id, 10)).toEqual([ids[0], ids[2]])

    const byCorrelation = b.newId()
    await operations.create(operation(byCorrelation, { filter: { correlationId: 'c' } }))
    await freezeAll(b, byCorrelation)
    expect(await operations.pending(TENANT, byCorrelation, 10)).toEqual([ids[2]])
    const cut = b.newId()
    await operations.create(operation(cut, { limit: 1 }))
    await freezeAll(b, cut)
    expect(await operations.get(TENANT, cut)).toMatchObject({ total: 1, cut: true })
    const named = b.newId()
    await operations.create(operation(named, { filter: { instanceIds: [NOBODY, ids[1]!] } }))
    await freezeAll(b, named)
    expect(await operations.pending(TENANT, named, 10)).toEqual([ids[1], NOBODY])
    expect((await operations.list(TENANT, undefined, 2)).map((each) => each.id)).toEqual([named, cut])
    expect((await operations.list(TENANT, cut, 9)).map((each) => each.id)).toEqual([byCorrelation, id])
    const bounds = { lookAt: 100, sample: 2 }
    const filter = { definitionId: WORKFLOW, version: 1 }
    const sample = await operations.preview(TENANT, filter, ['running', 'suspended'], bounds)
    expect(sample).toMatchObject({ count: 3, exact: true, skipped: { completed: 1 } })
    expect(sample.sample).toHaveLength(2)
    const asked = { instanceIds: [ids[0]!, ids[0]!, ids[1]!, NOBODY] }
    expect(await operations.preview(TENANT, asked, ['suspended'], bounds)).toMatchObject({
      ...{ count: 1, sample: [ids[0]], skipped: { completed: 1, 'not-found': 1 } },
    })
  })

  it('looks ahead only at what it would list and could do: no further than its limit, not what is held, not what has the version', async () => {
    const b = await open()
    const node = await b.joined()
    const ids = [await b.started(node), await b.started(node), await b.started(node)]
    const { operations } = b.store
    const bounds = { lookAt: 100, sample: 9 }
    const filter = { definitionId: WORKFLOW }
    const look = (more: object, asked: object = filter) =>
      operations.preview(TENANT, asked, ['running', 'completed'], { ...bounds, ...more })
    expect(await look({ limit: 2 })).toMatchObject({
      ...{ count: 2, sample: [ids[1], ids[0]], skipped: { limit: 1 }, definitionIds: [WORKFLOW] },
    })
    const asked = { instanceIds: [NOBODY, ids[2]!, ids[0]!] }
    expect(await look({ limit: 2 }, asked)).toMatchObject({ count: 2, skipped: { limit: 1 } })
    expect(await look({ limit: 1, listed: ['completed'] })).toMatchObject({ count: 0, skipped: { running: 3 } })
    expect(await look({ toVersion: 1 })).toMatchObject({
      ...{ count: 0, sample: [], skipped: { 'same-version': 3 }, definitionIds: [] },
    })
    await node.checkpoint(checkpoint(ids[0]!, { then: COMPLETED }), checkpoint(ids[1]!, { then: COMPLETED }))
    const rule = { tenant: TENANT, subject: `instance:${ids[0]}`, aspect: 'hold' } as const
    await b.store.maintenance.saveRule(rule, { keepMs: undefined, reason: 'a case' })
    const deletion = await operations.preview(TENANT, filter, ['completed'], { ...bounds, deletes: true })
    expect(deletion).toMatchObject({ count: 1, sample: [ids[1]], skipped: { held: 1, running: 1 } })
  })

  it('takes every filter that lists take, and leaves out whom it is told to', async () => {
    const b = await open()
    const node = await b.joined()
    const ids = [
      await b.started(node, { claimed: false }),
      await b.started(node, { correlationId: 'c' }),
      await b.started(node),
    ]
    await node.checkpoint(checkpoint(ids[1]!, { then: SUSPENDED }), checkpoint(ids[2]!, { then: COMPLETED }))
    const { operations } = b.store
    const fits = async (filter: NewOperation['filter']): Promise<readonly number[]> => {
      const id = b.newId()
      await operations.create(operation(id, { filter }))
      await freezeAll(b, id)
      const found = (await operations.pending(TENANT, id, 10)).map((each) => ids.indexOf(each))
      const { count } = await operations.preview(TENANT, filter, ALL, { lookAt: 100, sample: 0 })
      expect(count).toBe(found.length)
      await operations.steer(TENANT, id, 'cancel')
      return found
    }
    const views = await Promise.all(ids.map((id) => b.store.instances.get(TENANT, id)))
    const finishedAt = views[2]!.finishedAt!
    expect(await fits({ definitionIds: ['other', WORKFLOW] })).toEqual([0, 1, 2])
    expect(await fits({ definitionIds: ['other'] })).toEqual([])
    expect(await fits({ definitionIds: [WORKFLOW], excludeIds: [ids[0]!, NOBODY] })).toEqual([1, 2])
    expect(await fits({ correlationId: 'c', excludeIds: [ids[1]!] })).toEqual([])
    expect(await fits({ finishedFrom: finishedAt - 1 })).toEqual([2])
    expect(await fits({ finishedBefore: finishedAt - 1 })).toEqual([])
    expect(await fits({ parentId: NOBODY })).toEqual([])
    for (const status of new Set(views.map((view) => view!.status)))
      expect(await fits({ statuses: [status] })).toEqual([0, 1, 2].filter((each) => views[each]!.status === status))
    await b.store.definitions.registerFunction(TENANT, WORKFLOW, 1, ['eu', 'billing'])
    expect(await fits({ tags: ['us', 'eu'] })).toEqual([0, 1, 2])
    expect(await fits({ tags: ['us'] })).toEqual([])
    expect(await fits({ text: WORKFLOW.slice(1).toUpperCase() })).toEqual([0, 1, 2])
    expect(await fits({ text: ids[0]! })).toEqual([0])
    expect(await fits({ text: `wfi_${ids[2]!}` })).toEqual([2])
    expect(await fits({ text: 'c' })).toContain(1)
    expect(await fits({ text: 'nothing of the kind' })).toEqual([])
    const input = { path: ['a', 'b'], value: '1' }
    expect(await fits({ input: [input] })).toEqual([])
  })

  it('notes each outcome once, in the transaction that makes it, and is done when all have one', async () => {
    const b = await open()
    const node = await b.joined()
    const ids = [await b.started(node), await b.started(node)]
    const { operations, verbs } = b.store
    const id = b.newId()
    await operations.create(operation(id))
    await freezeAll(b, id)
    const message = { tenant: TENANT, instanceId: ids[0]!, kind: 'pause', payload: '{}', dedupeKey: undefined }
    const send = () => verbs.send({ ...message, queue: undefined, operationId: id })
    expect(await send()).toEqual({ kind: 'accepted' })
    expect(await send()).toEqual({ kind: 'done-before' })
    expect((await b.store.agenda.inbox([ids[0]!]))[0]!.messages).toHaveLength(1)
    const cancel = { ...message, kind: 'cancel', dedupeKey: 'cancel', queue: undefined }
    expect(await verbs.send({ ...cancel, instanceId: NOBODY, operationId: undefined })).toEqual({ kind: 'not-found' })
    expect(await operations.pending(TENANT, id, 10)).toEqual([ids[1]])
    const failed = { outcome: 'failed', detail: 'why' }
    await operations.settle(TENANT, id, [
      { instanceId: ids[0]!, ...failed },
      { instanceId: ids[1]!, ...failed },
    ])
    expect(await operations.items(TENANT, id, { after: undefined, outcome: undefined }, 10)).toEqual([
      { instanceId: ids[0], outcome: 'accepted', detail: undefined },
      { instanceId: ids[1], ...failed },
    ])
    expect(await operations.items(TENANT, id, { after: ids[0], outcome: 'accepted' }, 10)).toEqual([])
    expect(await operations.pending(TENANT, id, 10)).toEqual([])
    const over = await operations.get(TENANT, id)
    expect(over).toMatchObject({ state: 'done', outcomes: { accepted: 1, failed: 1 } })
    expect(over!.finishedAt).toBeGreaterThan(0)
    expect(await operations.steer(TENANT, id, 'cancel')).toBe(false)
    expect(await operations.next()).toBeUndefined()
  })

  it('leaves undone what was not done when it is cancelled', async () => {
    const b = await open()
    const node = await b.joined()
    await b.started(node)
    const id = b.newId()
    await b.store.operations.create(operation(id))
    await freezeAll(b, id)
    expect(await b.store.operations.steer(TENANT, id, 'cancel')).toBe(true)
    expect(await b.store.operations.pending(TENANT, id, 10)).toEqual([])
    expect(await b.store.operations.get(TENANT, id)).toMatchObject({ state: 'cancelled', outcomes: {} })
    expect(await b.store.operations.steer('other', id, 'cancel')).toBe(false)
  })

  it('rests while it is paused, lets others go first, and goes on where it stood', async () => {
    const b = await open()
    const node = await b.joined()
    await b.started(node)
    const [first, second] = [b.newId(), b.newId()]
    const { operations } = b.store
    const state = async (id: string) => (await operations.get(TENANT, id))!.state
    await operations.create(operation(first))
    await operations.create(operation(second))
    for (let twice = 0; twice < 2; twice += 1) expect(await operations.steer(TENANT, first, 'pause')).toBe(true)
    expect(await state(first)).toBe('paused')
    expect(await operations.next()).toMatchObject({ id: second })
    for (let twice = 0; twice < 2; twice += 1) expect(await operations.steer(TENANT, first, 'continue')).toBe(true)
    expect(await operations.next()).toMatchObject({ id: first, state: 'freezing' })
    await freezeAll(b, first)
    expect(await operations.pending(TENANT, first, 10)).toHaveLength(1)
    await operations.steer(TENANT, first, 'pause')
    expect(await operations.pending(TENANT, first, 10)).toEqual([])
    expect(await state(first)).toBe('paused')
    await operations.steer(TENANT, first, 'continue')
    expect([await state(first), await operations.pending(TENANT, first, 10)]).toMatchObject(['applying', { length: 1 }])
    await operations.steer(TENANT, first, 'pause')
    expect(await operations.steer(TENANT, first, 'cancel')).toBe(true)
    expect(await state(first)).toBe('cancelled')
    for (const wish of ['pause', 'continue'] as const)
      for (const [tenant, id] of [
        [TENANT, first],
        ['other', second],
        [TENANT, NOBODY],
      ] as const)
        expect(await operations.steer(tenant, id, wish)).toBe(false)
  })

  it('lists incidents newest first, groups what is alike, and resolves each once', async () => {
    const b = await open()
    const node = await b.joined()
    const instances = [await b.started(node), await b.started(node)]
    const incident = (fingerprint: string) => ({
      ...{ id: b.newId(), step: 'a', fingerprint, code: fingerprint.toUpperCase(), message: 'no' },
    })
    const opened = [incident('f'), incident('f'), incident('g')]
    await node.checkpoint(
      checkpoint(instances[0]!, { incidents: [opened[0]!, opened[2]!], then: SUSPENDED }),
      checkpoint(instances[1]!, { incidents: [opened[1]!], then: COMPLETED }),
    )
    const { incidents } = b.store
    const ids = async (filter: object, before?: string, limit = 10) =>
      (await incidents.list(TENANT, filter, before, limit)).incidents.map((each) => each.id)
    expect(await ids({})).toEqual([opened[2]!.id, opened[1]!.id, opened[0]!.id])
    expect(await ids({}, opened[2]!.id, 1)).toEqual([opened[1]!.id])
    expect(await ids({ fingerprint: 'f', definitionId: WORKFLOW })).toEqual([opened[1]!.id, opened[0]!.id])
    expect(await ids({ instanceId: instances[0], code: 'F' })).toEqual([opened[0]!.id])
    expect(await ids({ definitionId: 'other' })).toEqual([])
    expect(await incidents.groups(TENANT, {}, 10)).toMatchObject([
      { fingerprint: 'f', open: 2, instances: 2, definitionId: WORKFLOW, code: 'F', step: 'a' },
      { fingerprint: 'g', open: 1, instances: 1 },
    ])
    expect(await incidents.countOpen(TENANT)).toEqual({ value: 3, exact: true })
    const message = { kind: 'resolve', payload: '{"outcome":"failed"}' }
    const resolve = (incidentId: string) =>
      incidents.resolve({ tenant: TENANT, incidentId, resolution: 'failed', note: 'seen', message })
    expect(await resolve(opened[1]!.id)).toEqual({ kind: 'wrong-state', status: 'completed' })
    expect(await resolve(opened[0]!.id)).toEqual({ kind: 'resolved', instanceId: instances[0] })
    expect(await resolve(opened[0]!.id)).toEqual({ kind: 'already-resolved' })
    expect(await resolve(b.newId())).toEqual({ kind: 'not-found' })
    expect((await b.store.agenda.inbox([instances[0]!]))[0]!.messages).toMatchObject([{ kind: 'resolve', step: 'a' }])
    expect(await incidents.get(TENANT, opened[0]!.id)).toMatchObject({ resolution: 'failed', note: 'seen' })
    expect(await ids({ state: 'open' })).toEqual([opened[2]!.id, opened[1]!.id])
    expect(await ids({ state: 'resolved' })).toEqual([opened[0]!.id])
    expect(await ids({ state: 'open', instanceId: instances[0] })).toEqual([opened[2]!.id])
  })

  describe('of incidents that are alike', () => {
    const WEEK = 7 * 24 * HOUR
    const QUIET = { acknowledgedAt: undefined, assignee: undefined, mutedUntil: undefined, note: undefined }

    /** One open incident of group `f`, of the version that is current. */
    async function failing() {
      const b = await open()
      const node = await b.joined()
      const { incidents } = b.store
      const complete = async (): Promise<void> => {
        await node.checkpoint(checkpoint(await b.started(node), { then: COMPLETED }))
      }
      const fail = async (fingerprint = 'f', version?: number): Promise<string> => {
        const id = await b.started(node, { version })
        const failure = { id: b.newId(), step: 'a', fingerprint, code: 'BROKEN', message: 'no' }
        await node.checkpoint(checkpoint(id, { incidents: [failure], then: SUSPENDED }))
        return failure.id
      }
      return {
        ...{ b, incidents, complete, fail, first: await fail() },
        tend: (said: Partial<Tending>) =>
          incidents.tend({ tenant: TENANT, fingerprint: 'f', by: 'ana', note: undefined, ...said }),
        group: async () => (await incidents.groups(TENANT, { fingerprint: 'f' }, 10))[0],
        fingerprints: async (muted: boolean) =>
          (await incidents.groups(TENANT, { muted }, 10)).map(({ fingerprint }) => fingerprint),
      }
    }

    it('tells when they came, in slots that stand still', async () => {
      const { group, fail, first, incidents } = await failing()
      await fail()
      const { histogram, firstAt, lastAt } = (await group())!
      const { from, slotMs, counts } = histogram
      expect(counts).toHaveLength(24)
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2)
      expect([slotMs, from % slotMs]).toEqual([150_000, 0])
      expect(firstAt).toBeGreaterThanOrEqual(from)
      expect(lastAt).toBeLessThan(from + 24 * slotMs)
      const message = undefined
      await incidents.resolve({ tenant: TENANT, incidentId: first, resolution: 'noted', note: undefined, message })
      expect((await group())!.histogram.counts.reduce((sum, count) => sum + count, 0)).toBe(1)
    })

    it('tells the version that ran without them before the one that they began with', async () => {
      const { b, complete, fail, incidents } = await failing()
      const clean = async (): Promise<Record<string, number | undefined>> =>
        Object.fromEntries(
          (await incidents.groups(TENANT, {}, 10)).map(({ fingerprint, cleanVersion }) => [fingerprint, cleanVersion]),
        )
      await fail('known')
      await complete()
      await b.store.definitions.registerFunction(TENANT, WORKFLOW, 2)
      expect(await clean()).toEqual({ f: undefined, known: undefined })
      await fail('new', 2)
      const [known] = (await incidents.list(TENANT, { fingerprint: 'known' }, undefined, 1)).incidents
      const resolution = { resolution: 'noted', note: undefined, message: undefined }
      await incidents.resolve({ tenant: TENANT, incidentId: known!.id, ...resolution })
      await fail('known', 2)
      expect(await clean()).toEqual({ f: undefined, new: 1, known: undefined })
      await fail('new', 1)
      expect(await clean()).toMatchObject({ new: undefined })
    })

    it('tells which was resolved last, whichever was opened last', async () => {
      const { fail, first, incidents } = await failing()
      const second = await fail()
      expect(await incidents.lastResolved(TENANT)).toBeUndefined()
      const rest = { resolution: 'noted', note: undefined, message: undefined }
      for (const incidentId of [second, first]) await incidents.resolve({ tenant: TENANT, incidentId, ...rest })
      expect(await incidents.lastResolved('other')).toBeUndefined()
      const last = await incidents.lastResolved(TENANT)
      expect(last).toMatchObject({ tenant: TENANT, resolvedAt: expect.any(Number) })
      expect(last!.resolvedAt).toBe(Math.max(...(await resolvedAts())))
      async function resolvedAts(): Promise<readonly number[]> {
        const page = await incidents.list(TENANT, { state: 'resolved' }, undefined, 10)
        return page.incidents.map(({ resolvedAt }) => resolvedAt ?? 0)
      }
    })

    it('keeps who has seen them and who sees to them, each part by itself', async () => {
      const { tend, group } = await failing()
      expect(await group()).toMatchObject({ ...QUIET, firstVersion: 1, lastVersion: 1 })
      expect(await tend({ acknowledged: true, note: 'seen' })).toBe(true)
      expect(await group()).toMatchObject({
        ...{ ...QUIET, acknowledgedAt: expect.any(Number), acknowledgedBy: 'ana', note: 'seen' },
      })
      await tend({ assignee: 'bo', by: 'cy' })
      expect(await group()).toMatchObject({ acknowledgedBy: 'ana', assignee: 'bo', note: undefined })
      await tend({ acknowledged: false, by: undefined })
      expect(await group()).toMatchObject({ acknowledgedAt: undefined, acknowledgedBy: undefined, assignee: 'bo' })
      await tend({ assignee: null, note: 'nobody needs to know' })
      expect(await group()).toMatchObject(QUIET)
    })

    it('says nothing of groups without an open one, nor to other tenants', async () => {
      const { incidents, tend, group, first, fail } = await failing()
      expect(await tend({ fingerprint: 'g', acknowledged: true })).toBe(false)
      expect(await tend({ tenant: 'other', acknowledged: true })).toBe(false)
      await tend({ acknowledged: true, assignee: 'bo' })
      const message = undefined
      await incidents.resolve({ tenant: TENANT, incidentId: first, resolution: 'noted', note: undefined, message })
      expect(await group()).toBeUndefined()
      expect(await tend({ acknowledged: true })).toBe(false)
      expect(await incidents.groups('other', {}, 10)).toEqual([])
      await fail('g')
      expect((await incidents.groups(TENANT, {}, 10)).map((each) => each.fingerprint)).toEqual(['g'])
    })

    it('mutes them until the time is over, or somebody wants to hear of them', async () => {
      const { tend, group, fail, fingerprints } = await failing()
      await fail('g')
      await tend({ muteMs: WEEK, note: 'known' })
      expect(await group()).toMatchObject({ mutedUntil: expect.any(Number), note: 'known' })
      expect([await fingerprints(true), await fingerprints(false)]).toEqual([['f'], ['g']])
      await fail()
      expect(await group()).toMatchObject({ open: 2, mutedUntil: expect.any(Number) })
      await tend({ muteMs: 0 })
      expect(await group()).toMatchObject(QUIET)
      await tend({ muteMs: WEEK })
      await tend({ muteMs: null })
      expect(await fingerprints(true)).toEqual([])
    })

    it('lets a version be heard that was published after they were muted, and those before it not silence it', async () => {
      const { b, tend, group, fail, fingerprints } = await failing()
      await tend({ muteMs: WEEK })
      await b.store.definitions.registerFunction(TENANT, WORKFLOW, 2)
      await fail('f', 1)
      expect(await fingerprints(true)).toEqual(['f'])
      await fail('f', 2)
      expect(await group()).toMatchObject({ mutedUntil: undefined, firstVersion: 1, lastVersion: 2 })
      await fail('f', 1)
      expect(await group()).toMatchObject({ mutedUntil: undefined, lastVersion: 1 })
      await tend({ muteMs: WEEK })
      expect(await fingerprints(true)).toEqual(['f'])
    })
  })
}
