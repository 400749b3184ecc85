import { randomBytes } from 'node:crypto'
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

  it('is not replaced by an ETag of the one that was deleted before it', async () => {
    const first = await api.call('POST', '/workflow-definitions', { body: sums('reborn') })
    const etag = first.headers.etag!
    expect((await api.call('DELETE', '/workflow-definitions/reborn/draft')).status).toBeLessThan(300)
    const second = await api.call('POST', '/workflow-definitions', { body: { ...sums('reborn'), name: 'Theirs' } })
    expect(second.headers.etag).not.toBe(etag)
    const late = await api.call('PUT', '/workflow-definitions/reborn/draft', {
      body: { ...sums('reborn'), name: 'Late' },
      headers: { 'if-match': etag },
    })
    expect([late.status, late.body.code, late.body.current.etag]).toEqual([412, 'DRAFT_CHANGED', second.headers.etag])
    expect((await api.call('GET', '/workflow-definitions/reborn/draft')).body.draft.name).toBe('Theirs')
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
      tags: [],
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

describe('a workflow of ten megabytes', () => {
  /** Steps in a row with text of their own, and as much more as makes it just so long. */
  const large = (id: string, bytes: number) => {
    const steps = Array.from({ length: 2_000 }, (_, n) => ({
      ...{ id: `s${n}`, type: 'log', inputs: { message: `${n} ${'x'.repeat(4_900)}` } },
    }))
    const connections = steps.slice(1).map((step, n) => ({ from: `s${n}`, to: step.id }))
    const document = { id, activities: steps, connections, description: '' }
    const missing = bytes - Buffer.byteLength(JSON.stringify(document))
    expect(missing).toBeGreaterThan(0)
    return JSON.stringify({ ...document, description: 'x'.repeat(missing) })
  }
  const LIMIT = 10 * 1_048_576

  it('is saved, published, read and run', async () => {
    const raw = large('ten-megabytes', LIMIT)
    expect(Buffer.byteLength(raw)).toBe(LIMIT)
    const headers = { 'content-type': 'application/json' }
    expect((await api.call('POST', '/workflow-definitions', { raw, headers })).status).toBe(201)
    expect((await api.call('POST', '/workflow-definitions/ten-megabytes/publish', {})).body.version).toBe(1)
    const { body } = await api.call('GET', '/workflow-definitions/ten-megabytes/versions/1')
    expect(JSON.stringify(body).length).toBeGreaterThan(LIMIT)
    const started = await api.call('POST', '/workflow-instances', { body: { definitionId: 'ten-megabytes' } })
    expect(started.status).toBe(201)
  })

  it('is refused when it has a byte more', async () => {
    const headers = { 'content-type': 'application/json' }
    const raw = large('a-byte-more', LIMIT + 1)
    const refused = await api.call('POST', '/workflow-definitions', { raw, headers })
    expect([refused.status, refused.body.code]).toEqual([413, 'BODY_TOO_LARGE'])
    expect((await api.call('GET', '/workflow-definitions/a-byte-more')).status).toBe(404)
  })
})

describe('listing workflows', () => {
  it('goes through all of them, page by page, each once, and is counted on every page', async () => {
    const ids: string[] = []
    let cursor = ''
    const counts = []
    for (;;) {
      const page = await api.call('GET', `/workflow-definitions?limit=3${cursor}`)
      ids.push(...page.body.items.map((item: { id: string }) => item.id))
      expect([page.body.page.limit, page.body.page.prev === null]).toEqual([3, cursor === ''])
      counts.push(page.body.count)
      if (page.body.page.next === null) break
      cursor = `&cursor=${page.body.page.next}`
    }
    expect(ids.length).toBeGreaterThan(6)
    expect(counts).toEqual(counts.map(() => ({ value: ids.length, exact: true })))
    expect(ids).toEqual([...new Set(ids)].sort())
    expect(ids).toContain('billing.monthly')
  })

  it('goes on, where nothing was asked for, with a cursor of the version before, and with none of another list', async () => {
    const path = '/workflow-definitions?limit=3'
    const first = await api.call('GET', path)
    const { id } = first.body.items.at(-1)
    const cursor = Buffer.from(JSON.stringify([id, 3, '', 'on'])).toString('base64url')
    const next = await api.call('GET', `${path}&cursor=${cursor}`)
    expect(next.body.items).toEqual((await api.call('GET', `${path}&cursor=${first.body.page.next}`)).body.items)
    const named = await api.call('GET', '/workflow-definitions?limit=1&name=t')
    for (const other of ['q=t', 'tag=t', '']) {
      const { status } = await api.call('GET', `/workflow-definitions?limit=1&${other}&cursor=${named.body.page.next}`)
      expect(status).toBe(400)
    }
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

describe('the list of workflows', () => {
  const item = async (id: string) => {
    const { body } = await api.call('GET', '/workflow-definitions?limit=200')
    return body.items.find((each: { id: string }) => each.id === id)
  }
  const save = (document: object, id = 'standing') =>
    api.call('PUT', `/workflow-definitions/${id}/draft`, { body: document, headers: { 'if-match': '*' } })

  it('says when a draft is ahead of what is published, and when nothing is published any more', async () => {
    const document = sums('standing')
    await api.call('POST', '/workflow-definitions', { body: document })
    expect(await item('standing')).toMatchObject({ state: 'draft', version: null })
    await api.call('POST', '/workflow-definitions/standing/publish')
    expect(await item('standing')).toMatchObject({ state: 'published', version: 1 })
    // As long as the published one, and another.
    await save({ ...document, name: [...document.name].reverse().join('') })
    expect(await item('standing')).toMatchObject({ state: 'ahead', version: 1 })
    await save({ ...document, name: 'A name of quite another length' })
    expect(await item('standing')).toMatchObject({ state: 'ahead', version: 1 })
    // The same document, written in another order.
    await save(Object.fromEntries(Object.entries(document).reverse()))
    expect(await item('standing')).toMatchObject({ state: 'published', version: 1 })
    await api.call('POST', '/workflow-definitions/standing/retract')
    expect(await item('standing')).toMatchObject({ state: 'retracted', version: null })
    expect(await item('billing.monthly')).toMatchObject({ state: 'published', kind: 'function', triggers: [] })
  })

  it('tells so of large ones too, without unpacking them', async () => {
    const document = { ...sums('large'), description: randomBytes(150_000).toString('base64') }
    await api.call('PUT', '/workflow-definitions/large', { body: document })
    expect(await item('large')).toMatchObject({ state: 'published', version: 1 })
    await save({ ...document, description: `${document.description} and more` }, 'large')
    expect(await item('large')).toMatchObject({ state: 'ahead', version: 1 })
  })

  it('says what starts the published version, and nothing of its draft', async () => {
    const activities = [
      { id: 'nightly', type: 'cron', inputs: { cron: '0 3 * * *', zone: 'Europe/Berlin' } },
      { id: 'paid', type: 'event', inputs: { event: 'order-paid' } },
      { id: 'called', type: 'http-endpoint', inputs: { path: '/orders/{id}', methods: ['PUT'] } },
      { id: 'log', type: 'log', inputs: { message: 'begun' } },
    ]
    const connections = activities.slice(0, 3).map(({ id }) => ({ from: id, to: 'log' }))
    const document = { id: 'triggered', activities, connections }
    await api.call('PUT', '/workflow-definitions/triggered', { body: document })
    await save({ id: 'triggered', activities: activities.slice(3) }, 'triggered')
    await expect
      .poll(async () => (await item('triggered')).triggers)
      .toEqual([
        { kind: 'http', text: 'PUT /orders/{id}', when: null },
        { kind: 'event', text: 'order-paid', when: null },
        {
          kind: 'schedule',
          text: expect.stringMatching(/^triggered-nightly-/),
          when: expect.objectContaining({ cron: '0 3 * * *' }),
        },
      ])
    expect((await item('triggered')).state).toBe('ahead')
    await api.call('POST', '/workflow-definitions/triggered/retract')
    await expect.poll(async () => (await item('triggered')).triggers).toEqual([])
  })
})
