import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { patternWords } from '../src/request/pattern-words.ts'
import { approval, sums } from './documents.ts'
import { openTestApi, type TestApi } from './open-test-api.ts'

let api: TestApi
beforeAll(async () => {
  api = await openTestApi({ basePath: '/flow' })
  for (const document of [approval('approval'), sums('sums')])
    expect((await api.call('PUT', `/workflow-definitions/${document.id}`, { body: document })).status).toBe(201)
})
afterAll(async () => {
  expect(api.failures).toEqual([])
  await api.close()
})

const start = async (definitionId: string, input: unknown = {}): Promise<string> =>
  (await api.call('POST', '/workflow-instances', { body: { definitionId, input } })).body.id

describe('every answer', () => {
  it('has the id of its request: that of the caller, or a new one', async () => {
    const own = await api.call('GET', '/schedules', { headers: { 'x-request-id': 'mine-1' } })
    expect(own.headers['x-request-id']).toBe('mine-1')
    for (const headers of [{}, { 'x-request-id': 'not a sound id' }, { 'x-request-id': 'x'.repeat(200) }])
      expect((await api.call('GET', '/schedules', { headers })).headers['x-request-id']).toMatch(
        /^req_[\w-]{12}\.[0-9a-z]+$/,
      )
  })
})

describe('a problem', () => {
  it('names its request, and leads to its page behind the base path', async () => {
    const { body, headers } = await api.call('GET', '/schedules/nothing')
    expect(body).toMatchObject({
      type: '/flow/problems/schedule-not-found',
      requestId: headers['x-request-id'],
      instance: `/flow/api/v1/requests/${headers['x-request-id']}`,
    })
    expect((await api.app.inject({ url: body.type })).statusCode).toBe(200)
  })

  it('points into the body, and guesses what was meant', async () => {
    const refused = async (body: object) => (await api.call('POST', '/batch-operations', { body })).body.errors[0]
    const target = { filter: { status: 'faulted' } }
    const action = await refused({ action: 'retri', target })
    expect(action).toMatchObject({ pointer: '/action', text: expect.stringMatching(/Did you mean "retry"\?$/) })
    const field = await refused({ action: 'retry', target, dryRum: true })
    expect(field).toMatchObject({ pointer: '/dryRum', text: expect.stringMatching(/Did you mean "dryRun"\?$/) })
    const [query] = (await api.call('GET', '/workflow-instances?statuss=faulted')).body.errors
    expect([query.pointer, query.text]).toEqual([undefined, expect.stringMatching(/Did you mean "status"\?$/)])
  })

  it('points at the field of the request, whatever the engine calls it', async () => {
    const refused = async (body: object) => (await api.call('POST', '/batch-operations', { body })).body.errors[0]
    expect(await refused({ action: 'cancel', target: { filter: {} }, dryRun: true })).toMatchObject({
      pointer: '/target/filter',
      text: expect.stringMatching(/^"target\/filter" must be at least one condition/),
    })
    expect(await refused({ action: 'migrate', target: { filter: { status: 'faulted' } } })).toMatchObject({
      pointer: '/options/version',
    })
  })

  it('tells a fact that is not there from an instance that is not there', async () => {
    const id = await start('approval')
    const fork = (of: string) => api.call('POST', `/workflow-instances/${of}/fork`, { body: { at: 999 } })
    expect((await fork(id)).body).toMatchObject({
      status: 400,
      code: 'INVALID_REQUEST',
      errors: [
        { pointer: '/at', text: expect.stringMatching(/^"at" must be the number of one of its facts, 1 to \d+$/) },
      ],
    })
    const nobody = 'wfi_01900000-0000-7000-8000-000000000000'
    expect((await fork(nobody)).body).toMatchObject({ status: 404, code: 'INSTANCE_NOT_FOUND' })
  })

  it('says what a name must look like in words', async () => {
    const text = async (url: string) => (await api.call('GET', url)).body.errors[0].text
    expect(await text('/streams/events?topic=lock')).toBe(
      '"topic" must be one or more of instances, definitions, incidents, schedules, cluster, locks, with commas',
    )
    expect(await text('/workflow-instances?q=%20')).toBe('"q" must not be blank')
    const { body } = await api.call('POST', '/events', { body: { name: '' } })
    expect(body.detail).toBe('"name" must have 1 to 255 characters, none of them a control character')
  })

  it('says why a body is no JSON, and that it is but has a name that is refused', async () => {
    const detail = async (payload: string) => {
      const headers = { 'content-type': 'application/json' }
      const { body } = await api.app.inject({ method: 'POST', url: '/flow/api/v1/events', payload, headers })
      return JSON.parse(body).detail
    }
    expect(await detail('{"name":"x",}')).toMatch(/^The body cannot be read as JSON: .*line 1, column 13/)
    expect(await detail('{"name":"x","payload":{"__proto__":{}}}')).toMatch(
      /called __proto__ .* are refused: rename them/,
    )
  })

  it('has words for every pattern of the API', async () => {
    const { body } = await api.call('GET', '/openapi.json')
    const patterns = new Set(
      Array.from(JSON.stringify(body.paths).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g), ([, text]) =>
        JSON.parse(text!),
      ),
    )
    expect(patterns.size).toBeGreaterThan(10)
    expect([...patterns].filter((pattern) => patternWords(pattern) === undefined)).toEqual([])
  })
})

describe('a list', () => {
  it('links to its next page', async () => {
    for (const _ of [1, 2, 3]) await start('sums', { items: [] })
    const first = await api.call('GET', '/workflow-instances?definition=sums&limit=2')
    const link = /^<(.*)>; rel="next"$/.exec(first.headers.link!)![1]!
    expect(link).toMatch(/^\/flow\/api\/v1\/workflow-instances\?/)
    const next = (await api.app.inject({ url: link })).json()
    expect(next.items).toHaveLength(1)
    expect(first.body.items.map((each: { id: string }) => each.id)).not.toContain(next.items[0].id)
    expect((await api.app.inject({ url: link })).headers.link).toBeUndefined()
  })

  it('of instances takes its filter in a body, and goes on by its cursor', async () => {
    const ids = [await start('sums', { items: [], of: 'search' }), await start('sums', { items: [], of: 'search' })]
    const search = (body: object) => api.call('POST', '/workflow-instances/search', { body })
    const filter = { definition: ['sums', 'approval'], 'input.of': 'search' }
    const first = (await search({ filter, limit: 1 })).body
    const second = (await search({ filter, limit: 1, cursor: first.page.next })).body
    expect([first, second].map(({ items }) => items[0].id)).toEqual([...ids].reverse())
    const other = await search({ filter: { definition: 'sums' }, cursor: first.page.next })
    expect([other.status, other.body.code]).toEqual([400, 'INVALID_CURSOR'])
    expect((await search({ filter: { colour: 1 } })).body.errors[0].pointer).toBe('/filter/colour')
  })

  it.each(['/queues', '/caches', '/cluster/nodes', '/cluster/leaders'])(
    '%s has the shape of all lists',
    async (path) => {
      const { items, page, count } = (await api.call('GET', path)).body
      expect(page).toEqual({ next: null, prev: null, limit: items.length })
      expect(count).toEqual({ value: items.length, exact: true })
    },
  )
})

describe('If-None-Match', () => {
  it.each([
    '/workflow-definitions/approval',
    '/workflow-definitions/approval/draft',
    '/schedules/hourly',
    '/flow-policies/approval',
  ])('is answered by 304 while %s is as it was', async (path) => {
    const schedule = { id: 'hourly', trigger: { interval: '1h' }, definitionId: 'approval', paused: true }
    await api.call('POST', '/schedules', { body: schedule })
    await api.call('PUT', '/flow-policies/approval', { body: { concurrency: { limit: 1 } } })
    const { status, headers } = await api.call('GET', path)
    expect(status).toBe(200)
    const again = await api.call('GET', path, { headers: { 'if-none-match': headers.etag! } })
    expect([again.status, again.headers.etag]).toEqual([304, headers.etag])
    expect((await api.call('GET', path, { headers: { 'if-none-match': '"0"' } })).status).toBe(200)
  })

  it('hears of what changes without a new revision, and If-Match takes the same ETag', async () => {
    await api.call('POST', '/workflow-definitions', { body: approval('young') })
    const before = (await api.call('GET', '/workflow-definitions/young')).headers.etag!
    await api.call('POST', '/workflow-definitions/young/publish')
    const asked = await api.call('GET', '/workflow-definitions/young', { headers: { 'if-none-match': before } })
    expect(asked.status).toBe(200)
    const headers = { 'if-match': asked.headers.etag! }
    const body = { ...approval('young'), name: 'Other' }
    expect((await api.call('PUT', '/workflow-definitions/young/draft', { body, headers })).status).toBe(200)
    expect((await api.call('PUT', '/workflow-definitions/young/draft', { body, headers })).status).toBe(412)
  })
})

describe('waiting for an instance', () => {
  it('until it rests answers when it waits for something, or has ended', async () => {
    const wait = async (id: string) =>
      (await api.call('GET', `/workflow-instances/${id}?wait=30s&until=suspended`)).body.status
    expect(await wait(await start('approval'))).toBe('suspended')
    expect(await wait(await start('sums', { items: [1] }))).toBe('completed')
  })

  it('until it ends answers as it stands when the time is over', async () => {
    const id = await start('approval')
    expect((await api.call('GET', `/workflow-instances/${id}?wait=50ms&until=terminal`)).body.finishedAt).toBeNull()
  })
})
