import type { DefinitionFilter, DefinitionStore } from '@lockstep/engine/ports'
import { expect, it } from 'vitest'
import { type Bench, COMPLETED, checkpoint, startItem, TENANT } from './fixture.ts'

export function definitionExamples(open: () => Promise<Bench>): void {
  it('creates a draft once', async () => {
    const { definitions } = (await open()).store
    expect(await definitions.create(TENANT, 'a', '{"name":"A","n":1}')).toEqual({ kind: 'created', revision: 1 })
    expect(await definitions.create(TENANT, 'a', '{}')).toEqual({ kind: 'exists' })
    expect(await definitions.draft(TENANT, 'a')).toEqual({
      id: 'a',
      kind: 'graph',
      tags: [],
      document: { name: 'A', n: 1 },
      revision: 1,
      published: undefined,
    })
    expect(await definitions.draft('other', 'a')).toBeUndefined()
  })

  it('saves a draft only over the revision that was read, unless told to replace', async () => {
    const { definitions } = (await open()).store
    expect(await definitions.saveDraft(TENANT, 'a', '{}', 1)).toEqual({ kind: 'not-found' })
    await definitions.create(TENANT, 'a', '{}')
    expect(await definitions.saveDraft(TENANT, 'a', '{"n":2}', 1)).toEqual({ kind: 'saved', revision: 2 })
    expect(await definitions.saveDraft(TENANT, 'a', '{"n":3}', 1)).toEqual({ kind: 'changed', revision: 2 })
    expect(await definitions.saveDraft(TENANT, 'a', '{"n":4}', undefined)).toEqual({ kind: 'saved', revision: 3 })
    expect((await definitions.draft(TENANT, 'a'))!.document).toEqual({ n: 4 })
  })

  it('publishes the draft as the next version, and the same contents as the same version', async () => {
    const { definitions } = (await open()).store
    await definitions.create(TENANT, 'a', '{"n":1}')
    expect(await definitions.publish(TENANT, 'b', 'h1', 1)).toEqual({ kind: 'not-found' })
    expect(await definitions.publish(TENANT, 'a', 'h1', 7)).toEqual({ kind: 'changed', revision: 1 })
    expect(await definitions.publish(TENANT, 'a', 'h1', 1)).toEqual({ kind: 'published', version: 1, hash: 'h1' })
    expect(await definitions.publish(TENANT, 'a', 'h1', 1)).toEqual({ kind: 'published', version: 1, hash: 'h1' })
    await definitions.saveDraft(TENANT, 'a', '{"n":2}', 1)
    expect(await definitions.publish(TENANT, 'a', 'h2', 2)).toEqual({ kind: 'published', version: 2, hash: 'h2' })
    expect(await definitions.version(TENANT, 'a', 1)).toEqual({
      tenant: TENANT,
      id: 'a',
      version: 1,
      kind: 'graph',
      hash: 'h1',
      document: { n: 1 },
    })
    expect(await definitions.version(TENANT, 'a', 3)).toBeUndefined()
    expect((await definitions.draft(TENANT, 'a'))!.published).toBe(2)
  })

  it('gives two publishers at once one version', async () => {
    const { definitions } = (await open()).store
    await definitions.create(TENANT, 'a', '{}')
    const verdicts = await Promise.all(Array.from({ length: 4 }, () => definitions.publish(TENANT, 'a', 'h1', 1)))
    expect(verdicts).toEqual(Array.from({ length: 4 }, () => ({ kind: 'published', version: 1, hash: 'h1' })))
  })

  it('moves a function forward only', async () => {
    const { definitions } = (await open()).store
    for (const version of [2, 1, 2]) await definitions.registerFunction(TENANT, 'f', version)
    expect(await definitions.draft(TENANT, 'f')).toMatchObject({ kind: 'function', published: 2, document: null })
    expect(await definitions.version(TENANT, 'f', 1)).toMatchObject({ kind: 'function', document: null })
    expect(await definitions.publish(TENANT, 'f', 'h', 1)).toEqual({ kind: 'not-found' })
  })

  it('lists by id, page by page', async () => {
    const { definitions } = (await open()).store
    for (const id of ['c', 'a', 'b']) await definitions.create(TENANT, id, `{"name":"${id.toUpperCase()}"}`)
    await definitions.create('other', 'd', '{}')
    const first = await definitions.list(TENANT, undefined, 2)
    expect(first).toEqual(
      ['a', 'b'].map((id) => ({
        id,
        kind: 'graph',
        name: id.toUpperCase(),
        published: undefined,
        revision: 1,
        tags: [],
      })),
    )
    expect((await definitions.list(TENANT, 'b', 2)).map((row) => row.id)).toEqual(['c'])
  })

  it('filters the list by name whatever its case, by kind, and by whether new instances can start', async () => {
    const { definitions } = (await open()).store
    for (const id of ['a', 'b', 'c']) await definitions.create(TENANT, id, JSON.stringify({ name: `Order ${id}%` }))
    await definitions.create(TENANT, 'd', '{"name":"Invoice"}')
    await definitions.publish(TENANT, 'b', 'h', 1)
    await definitions.registerFunction(TENANT, 'order-fn', 1)
    const ids = async (...[filter, after, limit = 10]: readonly [DefinitionFilter, string?, number?]) =>
      (await definitions.list(TENANT, after, limit, filter)).map((row) => row.id)
    expect(await ids({ namePrefix: 'oRDER' })).toEqual(['a', 'b', 'c', 'order-fn'])
    expect(await ids({ namePrefix: 'order', kind: 'graph' }, 'a', 1)).toEqual(['b'])
    expect(await ids({ namePrefix: 'order%' })).toEqual([])
    expect(await ids({ namePrefix: 'rder' })).toEqual([])
    expect(await ids({ kind: 'function' })).toEqual(['order-fn'])
    expect(await ids({ published: true })).toEqual(['b', 'order-fn'])
    expect(await ids({ published: false }, 'a')).toEqual(['c', 'd'])
    expect(await ids({})).toHaveLength(5)
  })

  it('lists versions newest first, page by page, and says which one is current', async () => {
    const { definitions } = (await open()).store
    await publishVersions(definitions, 'a', 3)
    const all = await definitions.versions(TENANT, 'a', undefined, 10)
    expect(all.map(({ version, hash, current }) => [version, hash, current])).toEqual([
      [3, 'h3', true],
      [2, 'h2', false],
      [1, 'h1', false],
    ])
    for (const { publishedAt } of all) expect(publishedAt).toBeTypeOf('number')
    expect((await definitions.versions(TENANT, 'a', 3, 1)).map((row) => row.version)).toEqual([2])
    expect(await definitions.versions(TENANT, 'a', 1, 10)).toEqual([])
    expect(await definitions.versions('other', 'a', undefined, 10)).toEqual([])
  })

  it('knows the tags of drafts, as it does their names, and those that code is registered with', async () => {
    const { definitions } = (await open()).store
    const tags = async () =>
      Object.fromEntries((await definitions.list(TENANT, undefined, 10)).map((row) => [row.id, row.tags]))
    await definitions.create(TENANT, 'a', '{"tags":["eu","team:billing","eu","not one",7]}')
    await definitions.create(TENANT, 'b', '{"tags":"eu"}')
    expect(await tags()).toEqual({ a: ['eu', 'team:billing'], b: [] })
    await definitions.publish(TENANT, 'a', 'h1', 1)
    await definitions.saveDraft(TENANT, 'a', '{"tags":["us"]}', undefined)
    expect((await definitions.draft(TENANT, 'a'))!.tags).toEqual(['us'])
    await definitions.discardDraft(TENANT, 'a', undefined)
    expect((await definitions.list(TENANT, undefined, 10, { kind: 'graph' }))[0]!.tags).toEqual(['eu', 'team:billing'])
    await definitions.registerFunction(TENANT, 'f', 2, ['code'])
    await definitions.registerFunction(TENANT, 'f', 1, ['older'])
    expect((await tags()).f).toEqual(['code'])
    await definitions.registerFunction(TENANT, 'f', 2)
    expect((await tags()).f).toEqual([])
  })

  it('knows who saved a draft last', async () => {
    const { definitions } = (await open()).store
    const author = async () => (await definitions.draft(TENANT, 'a'))!.updatedBy
    await definitions.create(TENANT, 'a', '{}', 'ana')
    expect(await author()).toBe('ana')
    await definitions.saveDraft(TENANT, 'a', '{}', 1, 'bob')
    expect(await author()).toBe('bob')
    await definitions.publish(TENANT, 'a', 'h1', 2)
    expect(await author()).toBe('bob')
    await definitions.saveDraft(TENANT, 'a', '{}', 2)
    expect(await author()).toBeUndefined()
  })

  it('points to an older version and to none, and publishes on from the last number', async () => {
    const { definitions } = (await open()).store
    await publishVersions(definitions, 'a', 2)
    const current = async () => (await definitions.draft(TENANT, 'a'))!.published
    expect(await definitions.point(TENANT, 'a', 1)).toBe(true)
    expect(await current()).toBe(1)
    expect(await definitions.point(TENANT, 'a', 3)).toBe(false)
    expect(await definitions.point(TENANT, 'b', 1)).toBe(false)
    expect(await definitions.point('other', 'a', undefined)).toBe(false)
    expect(await current()).toBe(1)
    for (let twice = 0; twice < 2; twice += 1) expect(await definitions.point(TENANT, 'a', undefined)).toBe(true)
    expect(await current()).toBeUndefined()
    expect(await definitions.publish(TENANT, 'a', 'h2', 2)).toEqual({ kind: 'published', version: 2, hash: 'h2' })
    await definitions.point(TENANT, 'a', 1)
    expect(await definitions.publish(TENANT, 'a', 'h1', 2)).toEqual({ kind: 'published', version: 3, hash: 'h1' })
  })

  it('does not point at versions of functions: their code does', async () => {
    const { definitions } = (await open()).store
    for (const version of [1, 2]) await definitions.registerFunction(TENANT, 'f', version)
    expect(await definitions.point(TENANT, 'f', 1)).toBe(false)
    expect(await definitions.point(TENANT, 'f', undefined)).toBe(false)
    expect((await definitions.draft(TENANT, 'f'))!.published).toBe(2)
  })

  it('starts nothing of a retracted definition, and what runs goes on', async () => {
    const { store, newId, joined } = await open()
    const node = await joined()
    await publishVersions(store.definitions, 'a', 2)
    const before = startItem(newId(), { definitionId: 'a' })
    await node.start(before)
    await store.definitions.point(TENANT, 'a', undefined)
    const after = startItem(newId(), { definitionId: 'a' })
    await node.start(after)
    expect((await store.instances.get(TENANT, before.instanceId))!.version).toBe(2)
    expect(await store.instances.get(TENANT, after.instanceId)).toBeUndefined()
    await node.checkpoint(checkpoint(before.instanceId, { then: COMPLETED }))
    expect((await store.instances.statuses(TENANT, [before.instanceId])).get(before.instanceId)).toBe('completed')
    await store.definitions.point(TENANT, 'a', 1)
    const again = startItem(newId(), { definitionId: 'a' })
    await node.start(again)
    expect((await store.instances.get(TENANT, again.instanceId))!.version).toBe(1)
  })

  it('discards a draft: the definition goes when it never had a version', async () => {
    const { definitions } = (await open()).store
    await definitions.create(TENANT, 'a', '{}')
    expect(await definitions.discardDraft(TENANT, 'a', 2)).toEqual({ kind: 'changed', revision: 1 })
    expect(await definitions.discardDraft('other', 'a', 1)).toEqual({ kind: 'not-found' })
    expect(await definitions.discardDraft(TENANT, 'a', 1)).toEqual({ kind: 'deleted' })
    expect(await definitions.draft(TENANT, 'a')).toBeUndefined()
    expect(await definitions.discardDraft(TENANT, 'a', undefined)).toEqual({ kind: 'not-found' })
    expect(await definitions.create(TENANT, 'a', '{}')).toEqual({ kind: 'created', revision: 2 })
  })

  it('uses no revision again when a draft is deleted and made anew', async () => {
    const { definitions } = (await open()).store
    await definitions.create(TENANT, 'a', '{}')
    await definitions.saveDraft(TENANT, 'a', '{"n":2}', 1)
    await definitions.discardDraft(TENANT, 'a', 2)
    expect(await definitions.create(TENANT, 'a', '{"n":3}')).toEqual({ kind: 'created', revision: 3 })
    for (const late of [1, 2])
      expect(await definitions.saveDraft(TENANT, 'a', '{}', late)).toEqual({ kind: 'changed', revision: 3 })
    expect(await definitions.create('other', 'a', '{}')).toEqual({ kind: 'created', revision: 1 })
  })

  it('discards a draft: the current version comes back with its name, or the last one when none is current', async () => {
    const { definitions } = (await open()).store
    await publishVersions(definitions, 'a', 2)
    await definitions.point(TENANT, 'a', 1)
    await definitions.saveDraft(TENANT, 'a', '{"name":"Other"}', undefined)
    expect(await definitions.discardDraft(TENANT, 'a', undefined)).toEqual({ kind: 'reset', version: 1, revision: 4 })
    expect(await definitions.draft(TENANT, 'a')).toMatchObject({ document: { name: 'v1' }, revision: 4, published: 1 })
    expect((await definitions.list(TENANT, undefined, 10))[0]!.name).toBe('v1')
    await definitions.point(TENANT, 'a', undefined)
    expect(await definitions.discardDraft(TENANT, 'a', 4)).toEqual({ kind: 'reset', version: 2, revision: 5 })
    expect((await definitions.draft(TENANT, 'a'))!.document).toEqual({ name: 'v2' })
    await definitions.registerFunction(TENANT, 'f', 1)
    expect(await definitions.discardDraft(TENANT, 'f', undefined)).toEqual({ kind: 'not-found' })
  })

  it('counts the instances of a version that have not ended, and says when it stopped looking', async () => {
    const { store, newId, joined } = await open()
    const node = await joined()
    await publishVersions(store.definitions, 'a', 2)
    const items = [1, 1, 1, 2].map((version) => startItem(newId(), { definitionId: 'a', version }))
    for (const item of items) await node.start(item)
    const pinned = (version: number, lookAt = 10) => store.definitionUsage.pinned(TENANT, 'a', version, lookAt)
    expect(await pinned(1)).toEqual({ value: 3, exact: true })
    await node.checkpoint(checkpoint(items[0]!.instanceId, { then: COMPLETED }))
    expect(await pinned(1)).toEqual({ value: 2, exact: true })
    expect(await pinned(1, 3)).toEqual({ value: 2, exact: true })
    expect((await pinned(1, 2)).exact).toBe(false)
    expect((await pinned(1, 2)).value).toBeLessThanOrEqual(2)
    expect(await pinned(2)).toEqual({ value: 1, exact: true })
    expect(await pinned(3)).toEqual({ value: 0, exact: true })
    expect(await store.definitionUsage.pinned('other', 'a', 1, 10)).toEqual({ value: 0, exact: true })
  })

  it('knows who runs a workflow, in which version, and whether still', async () => {
    const { definitions, definitionUsage } = (await open()).store
    for (const id of ['x', 'y', 'z']) await definitions.create(TENANT, id, JSON.stringify({ name: id.toUpperCase() }))
    await definitions.publish(TENANT, 'x', 'h1', 1, ['child', 'other', 'child'])
    await definitions.publish(TENANT, 'x', 'h2', 1, ['child'])
    await definitions.publish(TENANT, 'x', 'h3', 1, ['other'])
    await definitions.publish(TENANT, 'y', 'h1', 1, ['child'])
    await definitions.publish(TENANT, 'z', 'h1', 1)
    const consumers = (id: string, after?: string, limit = 10) => definitionUsage.consumers(TENANT, id, after, limit)
    expect(await consumers('child')).toEqual([
      { id: 'x', name: 'X', version: 2, current: false },
      { id: 'y', name: 'Y', version: 1, current: true },
    ])
    expect(await consumers('child', undefined, 1)).toHaveLength(1)
    expect((await consumers('child', 'x')).map((row) => row.id)).toEqual(['y'])
    expect(await consumers('other')).toEqual([{ id: 'x', name: 'X', version: 3, current: true }])
    expect(await consumers('x')).toEqual([])
    await definitions.point(TENANT, 'x', 1)
    expect((await consumers('child'))[0]).toEqual({ id: 'x', name: 'X', version: 2, current: true })
    await definitions.point(TENANT, 'x', undefined)
    expect((await consumers('child'))[0]).toMatchObject({ id: 'x', current: false })
    expect(await definitionUsage.consumers('elsewhere', 'child', undefined, 10)).toEqual([])
  })

  it('knows the tenants that have a published graph', async () => {
    const { definitions, definitionUsage } = (await open()).store
    expect(await definitionUsage.tenants()).toEqual([])
    for (const tenant of ['west', 'east', 'drafts']) await definitions.create(tenant, 'a', '{"name":"A"}')
    await definitions.create('west', 'b', '{"name":"B"}')
    for (const [tenant, id] of [
      ['west', 'a'],
      ['west', 'b'],
      ['east', 'a'],
    ] as const)
      await definitions.publish(tenant, id, 'h', 1)
    await definitions.registerFunction('code', 'f', 1)
    expect(await definitionUsage.tenants()).toEqual(['east', 'west'])
    await definitions.point('east', 'a', undefined)
    expect(await definitionUsage.tenants()).toEqual(['west'])
  })
}

async function publishVersions(definitions: DefinitionStore, id: string, count: number): Promise<void> {
  for (let version = 1; version <= count; version += 1) {
    const document = `{"name":"v${version}"}`
    if (version === 1) await definitions.create(TENANT, id, document)
    else await definitions.saveDraft(TENANT, id, document, undefined)
    await definitions.publish(TENANT, id, `h${version}`, version)
  }
}
