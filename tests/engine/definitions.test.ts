import type { Json } from '@lockstep/base'
import { DefinitionInvalid, DefinitionIsCode, DefinitionNotFound, DraftChanged, workflow } from '@lockstep/engine'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from './open-test-engine.ts'

const TENANT = 'default'
const graph = (id: string, more: object = {}) => ({
  id,
  activities: [{ id: 'a', type: 'log', inputs: { message: 'hi' } }],
  ...more,
})
const output = (id: string, value: Json) =>
  graph(id, { activities: [{ id: 'out', type: 'set-output', inputs: { name: 'v', value } }] })

let test: TestEngine
let id = ''
beforeAll(async () => {
  test = await openTestEngine({ workflows: [workflow('coded', async () => 1)] })
})
afterAll(() => test[Symbol.asyncDispose]())
let count = 0
beforeEach(() => {
  id = `w${++count}`
})

const definitions = () => test.engine.definitions
const publish = async (document: object & { id: string }) => {
  const { documents } = await definitions().import(TENANT, JSON.stringify(document))
  expect(documents[0]!.outcome).not.toBe('invalid')
  return definitions().publish(TENANT, document.id)
}
const exported = async (...args: Parameters<ReturnType<typeof definitions>['export']>) => {
  let text = ''
  for await (const piece of definitions().export(...args)) text += piece
  return text
}

describe('a trigger that can never fire', () => {
  it('is a problem with a pointer, and cannot be published', async () => {
    await using t = await openTestEngine()
    const activities = [{ id: 'c', type: 'cron', inputs: { cron: '61 * * * *' } }]
    const draft = await t.engine.definitions.create('default', { id: 'bad-cron', activities, connections: [] })
    expect(draft.problems).toMatchObject([{ pointer: '/activities/0/inputs/cron', code: 'INVALID_CRON' }])
    await expect(t.engine.definitions.publish('default', 'bad-cron')).rejects.toMatchObject({
      code: 'DEFINITION_INVALID',
    })
  })
})

describe('versions', () => {
  it('P6: a retracted workflow starts no more, until it is published again; an old version can be it', async () => {
    await publish(output(id, 1))
    await publish(output(id, 2))
    expect((await test.run(id)).output).toEqual({ v: 2 })
    await definitions().retract(TENANT, id)
    await expect(test.engine.start({ definitionId: id })).rejects.toThrow(DefinitionNotFound)
    expect(await definitions().republish(TENANT, id, 1)).toMatchObject({ id, version: 1 })
    expect((await test.run(id)).output).toEqual({ v: 1 })
    expect(
      (await definitions().versions(TENANT, id, undefined, 10)).map(({ version, current }) => [version, current]),
    ).toEqual([
      [2, false],
      [1, true],
    ])
    expect(await definitions().version(TENANT, id, 2)).toMatchObject({ document: output(id, 2) })
  })

  it('what runs goes on after its workflow was retracted, and is counted', async () => {
    await publish(graph(id, { activities: [{ id: 'ask', type: 'wait-for-event', inputs: { event: id } }] }))
    const { instanceId } = await test.engine.start({ definitionId: id })
    await test.rests(instanceId, 'suspended')
    await definitions().retract(TENANT, id)
    expect(await definitions().pinned(TENANT, id, 1)).toEqual({ value: 1, exact: true })
    await test.engine.publish({ name: id })
    expect(await test.engine.waitForEnd(instanceId, { limitMs: 20_000 })).toMatchObject({ status: 'completed' })
    expect(await definitions().pinned(TENANT, id, 1)).toEqual({ value: 0, exact: true })
  })

  it('an old version that names an activity nobody has is not published again', async () => {
    await publish(graph(id))
    await test.db.script(
      `update definition_version set document = '{"id":"${id}","activities":[{"id":"a","type":"gone"}]}' where id = '${id}'`,
    )
    await expect(definitions().republish(TENANT, id, 1)).rejects.toThrow(DefinitionInvalid)
  })

  it('functions are left to their code', async () => {
    await expect(definitions().retract(TENANT, 'coded')).rejects.toThrow(DefinitionIsCode)
    await expect(definitions().republish(TENANT, 'coded', 1)).rejects.toThrow(DefinitionIsCode)
    await expect(definitions().discardDraft(TENANT, 'coded')).rejects.toThrow(DefinitionIsCode)
    await expect(definitions().diff(TENANT, 'coded', 1, 'draft')).rejects.toThrow(DefinitionIsCode)
    await expect(exported(TENANT, ['coded'])).rejects.toThrow(DefinitionIsCode)
  })

  it('what does not exist is said not to exist', async () => {
    await expect(definitions().retract(TENANT, id)).rejects.toThrow(DefinitionNotFound)
    await expect(definitions().republish(TENANT, id, 1)).rejects.toThrow(DefinitionNotFound)
    await expect(definitions().discardDraft(TENANT, id)).rejects.toThrow(DefinitionNotFound)
    await definitions().create(TENANT, graph(id))
    await expect(definitions().diff(TENANT, id, 'published', 'draft')).rejects.toThrow(DefinitionNotFound)
    await expect(definitions().version(TENANT, id, 1)).rejects.toThrow(DefinitionNotFound)
  })

  it('a draft is discarded only as it was read', async () => {
    await publish(output(id, 1))
    const { revision } = await definitions().saveDraft(TENANT, id, output(id, 2), undefined)
    await expect(definitions().discardDraft(TENANT, id, revision - 1)).rejects.toThrow(DraftChanged)
    expect(await definitions().discardDraft(TENANT, id, revision)).toMatchObject({ status: 'reset', version: 1 })
    expect((await definitions().draft(TENANT, id)).document).toEqual(output(id, 1))
  })

  it('publishing keeps who runs whom', async () => {
    const parent = { id: `${id}-parent`, activities: [{ id: 'r', type: 'run-workflow', inputs: { definitionId: id } }] }
    await publish(graph(id))
    await publish(parent)
    expect(await definitions().consumers(TENANT, id, undefined, 10)).toEqual([
      { id: parent.id, name: parent.id, version: 1, current: true },
    ])
    await publish({ ...graph(parent.id) })
    expect(await definitions().consumers(TENANT, id, undefined, 10)).toEqual([
      { id: parent.id, name: parent.id, version: 1, current: false },
    ])
  })

  it('are compared with each other and with the draft', async () => {
    await publish(output(id, 1))
    await publish(output(id, 2))
    await definitions().saveDraft(TENANT, id, { ...output(id, 2), layout: { out: [1, 2] } }, undefined)
    expect((await definitions().diff(TENANT, id, 2, 'draft')).changes).toEqual([])
    expect((await definitions().diff(TENANT, id, 1, 'published')).changes).toMatchObject([
      { subject: 'activity', id: 'out', aspect: 'inputs', fields: [{ pointer: '/inputs/value', before: 1, after: 2 }] },
    ])
    await definitions().saveDraft(TENANT, id, { id, activities: [{ nonsense: true }] }, undefined)
    await expect(definitions().diff(TENANT, id, 1, 'draft')).rejects.toThrow(DefinitionInvalid)
  })
})

describe('documents that only want to keep a node busy', () => {
  it.each([
    ['numbers for activities', (own: string) => ({ id: own, activities: Array(500_000).fill(1) })],
    [
      'branches',
      (own: string) => ({ id: own, activities: [{ id: 'p', type: 'parallel', branches: Array(500_000).fill(1) }] }),
    ],
    ['connections', (own: string) => ({ ...graph(own), connections: Array(500_000).fill({ from: 'a', to: 'b' }) })],
  ])('are refused after a look at their size: %s', async (_, make) => {
    await expect(definitions().create(TENANT, make(id))).rejects.toThrow(DefinitionInvalid)
    const report = await definitions().import(TENANT, JSON.stringify(make(id)), { acceptProblems: true })
    expect(report.documents).toMatchObject([{ outcome: 'invalid', problems: [{}] }])
  })
})

describe('import and export', () => {
  it('say per document what happened', async () => {
    const text = JSON.stringify([graph(`${id}-a`), graph(`${id}-b`)])
    const outcomes = async (source: string, options = {}) =>
      (await definitions().import(TENANT, source, options)).documents.map(({ outcome }) => outcome)
    expect(await outcomes(text, { dryRun: true })).toEqual(['created', 'created'])
    expect(await outcomes(text)).toEqual(['created', 'created'])
    expect(await outcomes(text)).toEqual(['unchanged', 'unchanged'])
    expect(
      await outcomes(
        `id: ${id}-b\nname: B\nactivities:\n  - { id: a, type: log, inputs: { message: hi } }\n---\n${JSON.stringify(graph(`${id}-c`))}`,
      ),
    ).toEqual(['new-draft', 'created'])
    expect((await definitions().draft(TENANT, `${id}-b`)).document).toMatchObject({ name: 'B' })
  })

  it.each(['json', 'yaml'] as const)('of all are the same text again, and nothing changes: %s', async (format) => {
    await publish(output(`${id}-x`, { deep: [1, 'two', null] }))
    const text = await exported(TENANT, 'all', { format })
    const report = await definitions().import(TENANT, text, { format, acceptProblems: true })
    expect(new Set(report.documents.map(({ outcome }) => outcome))).toEqual(new Set(['unchanged']))
    expect(await exported(TENANT, 'all', { format })).toBe(text)
    expect(text).not.toContain('coded')
  })

  it('of one is a document alone, of the version that is published or of the draft', async () => {
    await publish(output(id, 1))
    await definitions().saveDraft(TENANT, id, output(id, 2), undefined)
    expect(JSON.parse(await exported(TENANT, [id]))).toEqual(output(id, 2))
    expect(JSON.parse(await exported(TENANT, [id], { source: 'published' }))).toEqual(output(id, 1))
    expect(await exported(TENANT, [], {})).toBe('[]\n')
  })

  it.each<readonly [string, (good: object, id: string) => string, string]>([
    [
      'an unknown type',
      (good, own) => JSON.stringify([good, { id: `${own}-bad`, activities: [{ id: 'a', type: 'nope' }] }]),
      'UNKNOWN_ACTIVITY_TYPE',
    ],
    ['an id twice', (good) => JSON.stringify([good, good]), 'DUPLICATE_ID'],
    ['an id of a function', (good) => JSON.stringify([good, graph('coded')]), 'INVALID_ID'],
    ['an id that is a path', (good) => JSON.stringify([good, graph('../../etc/passwd')]), 'INVALID_ID'],
    ['no document', (good) => JSON.stringify([good, 5]), 'WRONG_TYPE'],
    [
      'a prototype',
      (good) => `[${JSON.stringify(good)},{"id":"p","activities":[],"__proto__":{"x":1}}]`,
      'FORBIDDEN_NAME',
    ],
    ['broken YAML', (good) => `${JSON.stringify(good)}\n---\nid: [`, 'UNREADABLE_TEXT'],
  ])('with %s writes nothing at all', async (_, make, code) => {
    const format = code === 'UNREADABLE_TEXT' ? 'yaml' : 'json'
    const report = await definitions().import(TENANT, make(graph(id), id), { format })
    expect(report.written).toBe(false)
    expect(report.documents.map(({ outcome }) => outcome)).toEqual(['created', 'invalid'])
    expect(report.documents[1]!.problems[0]).toMatchObject({ code, severity: 'error' })
    await expect(definitions().draft(TENANT, id)).rejects.toThrow(DefinitionNotFound)
  })

  it('takes unfinished drafts when told to', async () => {
    const text = JSON.stringify({ id, activities: [{ id: 'a', type: 'nope' }] })
    const report = await definitions().import(TENANT, text, { acceptProblems: true })
    expect(report).toMatchObject({
      written: true,
      documents: [{ outcome: 'created', revision: 1, problems: [{ code: 'UNKNOWN_ACTIVITY_TYPE' }] }],
    })
    await expect(definitions().publish(TENANT, id)).rejects.toThrow(DefinitionInvalid)
    expect((await definitions().import(TENANT, '{"activities":[]}', { acceptProblems: true })).written).toBe(false)
  })

  it('of a document of ten megabytes', async () => {
    const big = { ...graph(id), 'x-notes': Array.from({ length: 100 }, (_, n) => `${n}`.padEnd(100_000, 'x')) }
    expect(await definitions().import(TENANT, JSON.stringify(big))).toMatchObject({ written: true })
    expect(JSON.parse(await exported(TENANT, [id]))).toEqual(big)
    const bigger = { ...big, 'x-more': 'x'.repeat(1_000_000) }
    expect((await definitions().import(TENANT, JSON.stringify(bigger))).documents[0]!.problems[0]!.code).toBe(
      'TOO_LARGE',
    )
  }, 60_000)

  it('two imports at once do not lose each other', async () => {
    await publish(output(id, 0))
    const reports = await Promise.all(
      [1, 2, 3, 4].map((n) => definitions().import(TENANT, JSON.stringify(output(id, n)))),
    )
    const saved = reports.flatMap(({ documents }, n) =>
      documents[0]!.outcome === 'new-draft' ? [[n + 1, documents[0]!.revision]] : [],
    )
    const draft = await definitions().draft(TENANT, id)
    expect(saved.length).toBeGreaterThan(0)
    const [out] = (draft.document as ReturnType<typeof output>).activities
    expect(saved).toContainEqual([(out!.inputs as { value?: number }).value, draft.revision])
    expect(new Set(saved.map(([, revision]) => revision)).size).toBe(saved.length)
  })
})
