import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestApi, type TestApi } from './open-test-api.ts'

let api: TestApi
beforeAll(async () => {
  api = await openTestApi()
})
afterAll(() => api.close())

const said = (id: string, message = 'x') => ({ id, activities: [{ id: 'say', type: 'log', inputs: { message } }] })
const answering = (id: string, path: string) => ({
  ...{ id, activities: [{ id: 'in', type: 'http-endpoint', inputs: { path } }] },
})
const put = (body: { readonly id: string }, headers: Record<string, string> = {}) =>
  api.call('PUT', `/workflow-definitions/${body.id}`, { body, headers })
const draft = (id: string) => api.call('GET', `/workflow-definitions/${id}/draft`)

describe('saving and publishing in one', () => {
  it('changes nothing where the path of an endpoint is taken', async () => {
    await put(answering('first', '/taken'))
    const refused = await put(answering('second', '/taken'))
    expect([refused.status, refused.body.code]).toEqual([422, 'DEFINITION_INVALID'])
    expect((await draft('second')).status).toBe(404)
    await put(said('third'))
    const before = await draft('third')
    expect((await put(answering('third', '/taken'))).status).toBe(422)
    expect([(await draft('third')).headers.etag, (await draft('third')).body]).toEqual([
      before.headers.etag,
      before.body,
    ])
  })

  it('only creates with If-None-Match: *, under the id of its path', async () => {
    const when = { 'if-none-match': '*' }
    expect((await put(said('once'), when)).status).toBe(201)
    const again = await put(said('once', 'other'), when)
    expect([again.status, again.body.code]).toEqual([409, 'DEFINITION_EXISTS'])
    expect((await draft('once')).body.draft.activities[0].inputs.message).toBe('x')
    const other = await api.call('PUT', '/workflow-definitions/here', { body: said('there'), headers: when })
    expect([other.status, other.body.problems[0].pointer]).toEqual([422, '/id'])
    expect((await draft('there')).status).toBe(404)
  })

  it('only replaces with If-Match: *', async () => {
    const refused = await put(said('absent'), { 'if-match': '*' })
    expect([refused.status, (await draft('absent')).status]).toEqual([404, 404])
    await put(said('present'))
    expect((await put(said('present', 'new'), { 'if-match': '*' })).status).toBe(200)
  })

  it('without a condition refuses nobody for others who do the same', async () => {
    for (const id of ['raced', 'raced']) {
      const answers = await Promise.all(Array.from({ length: 4 }, (_, n) => put(said(id, `of ${n}`))))
      expect(answers.filter(({ status }) => status !== 200 && status !== 201).map(({ body }) => body)).toEqual([])
    }
    const created = await Promise.all(Array.from({ length: 4 }, (_, n) => put(said('made', `of ${n}`))))
    expect(created.filter(({ status }) => status === 201)).toHaveLength(1)
    const stale = await put(said('made'), { 'if-match': '"1"' })
    expect([stale.status, stale.body.code]).toEqual([412, 'DRAFT_CHANGED'])
  })
})

describe('a cursor of definitions', () => {
  it('belongs to the filter that it came with', async () => {
    await put({ ...said('list-a'), name: 'graph a' } as never)
    await put({ ...said('list-b'), name: 'graph b' } as never)
    const { body } = await api.call('GET', '/workflow-definitions?name=graph&limit=1')
    const with_ = (filter: string) =>
      api.call('GET', `/workflow-definitions?${filter}&limit=1&cursor=${encodeURIComponent(body.page.next)}`)
    expect((await with_('name=graph')).status).toBe(200)
    for (const filter of ['kind=graph', 'q=graph', 'tag=graph'])
      expect([(await with_(filter)).status, (await with_(filter)).body.code]).toEqual([400, 'INVALID_CURSOR'])
  })
})

describe('Idempotency-Key', () => {
  it('tells requests apart by what they demand of the draft', async () => {
    await put(said('demand'))
    const publish = (etag: string) =>
      api.call('POST', '/workflow-definitions/demand/publish', {
        headers: { 'idempotency-key': 'demand', 'if-match': etag },
      })
    const save = async (message: string) => {
      const { headers } = await draft('demand')
      const body = said('demand', message)
      return api.call('PUT', '/workflow-definitions/demand/draft', { body, headers: { 'if-match': headers.etag! } })
    }
    const second = (await save('second')).headers.etag!
    expect((await publish(second)).status).toBe(200)
    expect((await publish(second)).headers['idempotent-replayed']).toBe('true')
    const third = (await save('third')).headers.etag!
    const other = await publish(third)
    expect([other.status, other.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
  })
})
