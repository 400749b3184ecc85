import { statement } from '@lockstep/postgres'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { approval } from './documents.ts'
import { hostileRequests } from './hostile-requests.ts'
import { openTestApi, type TestApi } from './open-test-api.ts'

/** Everything a request could have changed. Nodes and flushes move by themselves. */
const everything = statement<undefined, { facts: string }>(
  'test_everything',
  () => [],
  `select concat_ws(' ',
     (select coalesce(json_agg(row(d.id, d.revision, d.published, d.draft::text) order by d.id), '[]') from definition d),
     (select count(*) from definition_version), (select count(*) from instance), (select count(*) from journal),
     (select count(*) from inbox), (select count(*) from bookmark), (select count(*) from event), (select count(*) from incident),
     (select count(*) from schedule), (select count(*) from retention_rule)) as facts`,
)

let api: TestApi
let id: string
beforeAll(async () => {
  api = await openTestApi()
  await api.call('PUT', '/workflow-definitions/waits', { body: approval('waits') })
  id = (await api.call('POST', '/workflow-instances', { body: { definitionId: 'waits' } })).body.id
  await vi.waitFor(async () =>
    expect((await api.call('GET', `/workflow-instances/${id}`)).body.status).toBe('suspended'),
  )
})
afterAll(() => api.close())

const placeholder = 'wfi_01900000-0000-7000-8000-00000000000f'

describe('a hostile request gets the right problem, changes nothing and is nobody’s fault but its own', () => {
  it.each(hostileRequests(placeholder).map((each) => [each[0], each] as const))(
    '%s',
    async (_, [, method, path, sent, status, code]) => {
      const before = await api.db.one(everything)
      const answer = await api.call(method, path.replaceAll(placeholder, id), sent)
      expect([answer.status, answer.body.code]).toEqual([status, code])
      expect(answer.body.type).toBe(`/problems/${code.toLowerCase().replaceAll('_', '-')}`)
      expect(answer.body.detail.length).toBeGreaterThan(10)
      expect(await api.db.one(everything)).toEqual(before)
      expect(api.failures).toEqual([])
    },
  )

  it('names the field and the fix', async () => {
    const { body } = await api.call('POST', '/workflow-instances', { body: { definitionId: 'waits', inputs: {} } })
    expect(body.errors).toEqual([
      { in: 'body', field: '/inputs', pointer: '/inputs', text: expect.stringContaining('use definitionId, input,') },
    ])
    const query = await api.call('GET', '/workflow-instances?staus=running')
    expect(query.body.errors).toEqual([
      { in: 'query', field: 'staus', text: expect.stringContaining('use status, definition,') },
    ])
  })

  it('says which methods a path takes', async () => {
    expect((await api.call('DELETE', '/workflow-instances')).headers.allow).toBe('GET, HEAD, POST')
  })
})
