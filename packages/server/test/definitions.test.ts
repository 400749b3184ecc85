import { workflow } from '@lockstep/engine'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approval, sums } from './documents.ts'
import { openTestApi, type TestApi } from './open-test-api.ts'

let api: TestApi
beforeAll(async () => {
  api = await openTestApi({ workflows: [workflow('billing.monthly', async () => 'paid')] })
})
afterAll(async () => {
  expect(api.failures).toEqual([])
  await api.close()
})

describe('creating a workflow', () => {
  it('answers the draft with its ETag and where to find it', async () => {
    const created = await api.call('POST', '/workflow-definitions', { body: sums('created') })
    expect(created.status).toBe(201)
    expect(created.body).toEqual({ id: 'created', draft: sums('created'), etag: '"1"', problems: [] })
    expect(created.headers.etag).toBe('"1"')
    expect(created.headers.location).toBe('/api/v1/workflow-definitions/created')
  })

  it('keeps an unfinished draft and says what it lacks', async () => {
    const draft = { id: 'unfinished', activities: [{ id: 'x', type: 'no-such-thing' }] }
    const created = await api.call('POST', '/workflow-definitions', { body: draft })
    expect(created.status).toBe(201)
    expect(created.body.problems).toMatchObject([
      { pointer: '/activities/0/type', code: 'UNKNOWN_ACTIVITY_TYPE', severity: 'error' },
    ])
    const refused = await api.call('POST', '/workflow-definitions/unfinished/publish')
    expect(refused.status).toBe(422)
    expect(refused.body).toMatchObject({ code: 'DEFINITION_INVALID', problems: [{ code: 'UNKNOWN_ACTIVITY_TYPE' }] })
  })

  it('refuses a document that is none, place by place', async () => {
    const refused = await api.call('POST', '/workflow-definitions', { body: { id: 'Not A Slug', activities: [] } })
    expect(refused.status).toBe(422)
    expect(refused.body).toMatchObject({
      type: '/problems/definition-invalid',
      problems: [{ pointer: '/id', code: 'INVALID_ID' }],
    })
  })

  it('refuses an id that is taken, and leaves what is there', async () => {
    await api.call('POST', '/workflow-definitions', { body: sums('taken') })
    const refused = await api.call('POST', '/workflow-definitions', { body: approval('taken') })
    expect([refused.status, refused.body.code]).toEqual([409, 'DEFINITION_EXISTS'])
    expect((await api.call('GET', '/workflow-definitions/taken/draft')).body.draft).toEqual(sums('taken'))
  })
})

describe('a draft', () => {
  it('is read with its ETag and replaced only by who read it last', async () => {
    await api.call('POST', '/workflow-definitions', { body: sums('edited') })
    const read = await api.call('GET', '/workflow-definitions/edited/draft')
    expect(read.status).toBe(200)
    expect(read.headers.etag).toBe(read.body.etag)
    const etag = read.headers.etag!

    const saved = await api.call('PUT', '/workflow-definitions/edited/draft', {
      body: { ...sums('edited'), name: 'Mine' },
      headers: { 'if-match': etag },
    })
    expect([saved.status, saved.body.draft.name, saved.headers.etag]).toEqual([200, 'Mine', '"2"'])

    const late = await api.call('PUT', '/workflow-definitions/edited/draft', {
      body: { ...sums('edited'), name: 'Late' },
      headers: { 'if-match': etag },
    })
    expect([late.status, late.body.code, late.body.current.etag]).toEqual([412, 'DRAFT_CHANGED', '"2"'])
    expect((await api.call('GET', '/workflow-definitions/edited/draft')).body.draft.name).toBe('Mine')
  })

  it('is not replaced without If-Match', async () => {
    await api.call('POST', '/workflow-definitions', { body: sums('guarded') })
    const refused = await api.call('PUT', '/workflow-definitions/guarded/draft', { body: approval('guarded') })
    expect([refused.status, refused.body.code]).toEqual([428, 'IF_MATCH_REQUIRED'])
    expect((await api.call('GET', '/workflow-definitions/guarded/draft')).body.draft).toEqual(sums('guarded'))
  })

  it('is replaced whatever it is by If-Match: *', async () => {
    await api.call('POST', '/workflow-definitions', { body: sums('starred') })
    const saved = await api.call('PUT', '/workflow-definitions/starred/draft', {
      body: approval('starred'),
      headers: { 'if-match': '*' },
    })
    expect([saved.status, saved.body.etag]).toEqual([200, '"2"'])
  })

  it('cannot be saved under the id of another', async () => {
    await api.call('POST', '/workflow-definitions', { body: sums('one') })
    const refused = await api.call('PUT', '/workflow-definitions/one/draft', {
      body: sums('other'),
      headers: { 'if-match': '"1"' },
    })
    expect([refused.status, refused.body.problems[0].pointer]).toEqual([422, '/id'])
  })
})

describe('publishing', () => {
  it('counts versions from 1, and gives the same document no second number', async () => {
    await api.call('POST', '/workflow-definitions', { body: sums('published') })
    const first = await api.call('POST', '/workflow-definitions/published/publish')
    expect(first.status).toBe(200)
    expect(first.body).toEqual({ id: 'published', version: 1, hash: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect((await api.call('POST', '/workflow-definitions/published/publish', { body: {} })).body).toEqual(first.body)

    await api.call('PUT', '/workflow-definitions/published/draft', {
      body: approval('published'),
      headers: { 'if-match': '"1"' },
    })
    expect((await api.call('POST', '/workflow-definitions/published/publish')).body.version).toBe(2)
    expect((await api.call('GET', '/workflow-definitions/published')).body).toEqual({
      id: 'published',
      name: 'Approval',
      kind: 'graph',
      version: 2,
      etag: '"2"',
    })
  })

  it('publishes nothing that If-Match does not name', async () => {
    await api.call('POST', '/workflow-definitions', { body: sums('held') })
    const refused = await api.call('POST', '/workflow-definitions/held/publish', { headers: { 'if-match': '"7"' } })
    expect([refused.status, refused.body.code]).toEqual([412, 'DRAFT_CHANGED'])
    expect((await api.call('GET', '/workflow-definitions/held')).body.version).toBe(null)
    expect(
      (await api.call('POST', '/workflow-definitions/held/publish', { headers: { 'if-match': '"1"' } })).status,
    ).toBe(200)
  })
})

describe('saving and publishing in one', () => {
  it('creates what is not there, and replaces what is', async () => {
    const created = await api.call('PUT', '/workflow-definitions/in-one', { body: sums('in-one') })
    expect([created.status, created.body.version, created.body.etag]).toEqual([201, 1, '"1"'])
    const replaced = await api.call('PUT', '/workflow-definitions/in-one', {
      body: approval('in-one'),
      headers: { 'if-match': created.body.etag },
    })
    expect([replaced.status, replaced.body.version, replaced.body.etag]).toEqual([200, 2, '"2"'])
  })

  it('changes nothing when the document has errors', async () => {
    await api.call('PUT', '/workflow-definitions/sound', { body: sums('sound') })
    const refused = await api.call('PUT', '/workflow-definitions/sound', {
      body: { id: 'sound', activities: [{ id: 'x', type: 'nope' }] },
    })
    expect([refused.status, refused.body.code]).toEqual([422, 'DEFINITION_INVALID'])
    expect((await api.call('GET', '/workflow-definitions/sound/draft')).body.draft).toEqual(sums('sound'))
    const absent = await api.call('PUT', '/workflow-definitions/unsound', {
      body: { id: 'unsound', activities: [{ id: 'x', type: 'nope' }] },
    })
    expect(absent.status).toBe(422)
    expect((await api.call('GET', '/workflow-definitions/unsound')).status).toBe(404)
  })

  it('creates nothing when If-Match says that it was there', async () => {
    const refused = await api.call('PUT', '/workflow-definitions/vanished', {
      body: sums('vanished'),
      headers: { 'if-match': '"1"' },
    })
    expect([refused.status, refused.body.code]).toEqual([404, 'DEFINITION_NOT_FOUND'])
  })
})

describe('listing workflows', () => {
  it('goes through all of them, page by page, each once, and counts as it goes', async () => {
    const ids: string[] = []
    let cursor = ''
    for (;;) {
      const page = await api.call('GET', `/workflow-definitions?limit=3${cursor}`)
      ids.push(...page.body.items.map((item: { id: string }) => item.id))
      expect([page.body.page.limit, page.body.page.prev === null]).toEqual([3, cursor === ''])
      if (page.body.page.next === null) {
        expect(page.body.count).toEqual({ value: ids.length, exact: true })
        break
      }
      expect(page.body.count).toEqual({ value: ids.length + 1, exact: false })
      cursor = `&cursor=${page.body.page.next}`
    }
    expect(ids.length).toBeGreaterThan(6)
    expect(ids).toEqual([...new Set(ids)].sort())
    expect(ids).toContain('billing.monthly')
  })

  it('shows functions among them, without a draft', async () => {
    expect((await api.call('GET', '/workflow-definitions/billing.monthly')).body).toMatchObject({
      kind: 'function',
      version: 1,
    })
    expect((await api.call('GET', '/workflow-definitions/billing.monthly/draft')).body).toMatchObject({
      draft: null,
      problems: [],
    })
  })
})
