import { expect, it } from 'vitest'
import { type Bench, TENANT } from './fixture.ts'

export function definitionExamples(open: () => Promise<Bench>): void {
  it('creates a draft once', async () => {
    const { definitions } = (await open()).store
    expect(await definitions.create(TENANT, 'a', '{"name":"A","n":1}')).toEqual({ kind: 'created', revision: 1 })
    expect(await definitions.create(TENANT, 'a', '{}')).toEqual({ kind: 'exists' })
    expect(await definitions.draft(TENANT, 'a')).toEqual({
      id: 'a',
      kind: 'graph',
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
      ['a', 'b'].map((id) => ({ id, kind: 'graph', name: id.toUpperCase(), published: undefined, revision: 1 })),
    )
    expect((await definitions.list(TENANT, 'b', 2)).map((row) => row.id)).toEqual(['c'])
  })
}
