import { afterAll, beforeAll, expect, it } from 'vitest'
import { approval } from './documents.ts'
import { openTestApi, type TestApi } from './open-test-api.ts'

let api: TestApi
let first: string
let second: string
beforeAll(async () => {
  api = await openTestApi()
  expect((await api.call('PUT', '/workflow-definitions/approval', { body: approval('approval') })).status).toBe(201)
  const policy = { concurrency: { limit: 1 } }
  expect((await api.call('PUT', '/flow-policies/approval', { body: policy })).status).toBeLessThan(300)
  const start = async () => (await api.call('POST', I, { body: { definitionId: 'approval', input: {} } })).body.id
  first = await start()
  expect((await api.call('GET', `${I}/${first}?wait=30s&until=suspended`)).body.status).toBe('suspended')
  second = await start()
  expect((await api.call('GET', `${I}/${second}`)).body).toMatchObject({ status: 'queued', startedAt: null })
})
afterAll(async () => {
  expect(api.failures).toEqual([])
  await api.close()
})

const I = '/workflow-instances'
const ids = async (query: string): Promise<readonly string[]> =>
  (await api.call('GET', `${I}?${query}`)).body.items.map(({ id }: { id: string }) => id)

it('of those that began, what is queued left out', async () => {
  expect(await ids('createdAt[gte]=-1h')).toEqual([second, first])
  expect(await ids('startedAt[gte]=-1h')).toEqual([first])
  expect(await ids('startedAt[lt]=-1h')).toEqual([])
  expect(await ids('startedAt[gte]=-1h&createdAt[lt]=2020-01-01')).toEqual([])
  expect(await ids('startedAt[gte]=-1h&status=queued')).toEqual([])
  const found = await api.call('POST', `${I}/search`, { body: { filter: { 'startedAt[gte]': '-1h' } } })
  expect([found.body.items.map(({ id }: { id: string }) => id), found.body.count]).toEqual([
    [first],
    { value: 1, exact: true },
  ])
  expect((await api.call('GET', `${I}/counts?startedAt[gte]=-1h`)).body).toEqual({
    statuses: { suspended: 1 },
    exact: true,
  })
})

it('is one order with createdAt, either way, and its cursors are', async () => {
  expect(await ids('sort=-startedAt')).toEqual([second, first])
  expect(await ids('sort=startedAt')).toEqual([first, second])
  const page = (await api.call('GET', `${I}?sort=startedAt&limit=1`)).body.page
  expect(await ids(`sort=startedAt&limit=1&cursor=${page.next}`)).toEqual([second])
})

it('is refused with the name and the fix', async () => {
  const { status, body } = await api.call('GET', `${I}?startedAt[gte]=soon`)
  expect([status, body.errors[0].field, body.errors[0].text]).toEqual([
    400,
    'startedAt[gte]',
    expect.stringMatching(/write an instant/),
  ])
})
