import { statement } from '@lockstep/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hostileCorpus, hostileCredentials } from './hostile-corpus.ts'
import { BOOTSTRAP_KEY, openSecuredApi, type SecuredApi, type Told } from './open-secured-api.ts'

/** Everything that a request could have changed; the audit log tells of them all. */
const everything = statement<undefined, { facts: string }>(
  'test_after_hostile',
  () => [],
  `select concat_ws(' ', (select count(*) from definition), (select count(*) from definition_version), (select count(*) from instance),
     (select count(*) from journal), (select count(*) from inbox), (select count(*) from event), (select count(*) from incident),
     (select count(*) from schedule), (select count(*) from retention_rule), (select count(*) from api_key), (select count(*) from local_user),
     (select count(*) from user_session), (select count(*) from step_limit), (select count(*) from secret), (select count(*) from request_answer)) as facts`,
)

let api: SecuredApi
let before: { facts: string }
beforeAll(async () => {
  api = await openSecuredApi()
  before = await api.db.one(everything)
})
afterAll(async () => {
  expect(await api.db.one(everything)).toEqual(before)
  await api[Symbol.asyncDispose]()
})

function expectProblem({ status, headers, body }: Told): void {
  expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
  expect(body).toMatchObject({
    type: `/problems/${String(body.code).toLowerCase().replaceAll('_', '-')}`,
    title: expect.stringMatching(/./),
    detail: expect.stringMatching(/.{10}/),
    status,
  })
  expect([status >= 400, status < 500]).toEqual([true, true])
}

const matches = (code: string, allowed: readonly string[]): boolean =>
  allowed.some((each) => (each.startsWith('*') ? code.endsWith(each.slice(1)) : each === code))

describe('a hostile request', () => {
  it('is one of at least three hundred', () => {
    expect(hostileCorpus.length).toBeGreaterThan(300)
    expect(new Set(hostileCorpus.map(({ name }) => name)).size).toBe(hostileCorpus.length)
  })

  it.each([
    ['files by path', { 'content-type': 'application/json' }, '{"files":[{"filepath":"/etc/passwd","name":"x.json"}]}'],
    ['an id that climbs', { 'content-type': 'application/json' }, '{"id":"../../etc/passwd","activities":[]}'],
    ['an address', { 'content-type': 'application/json' }, '"file:///etc/passwd"'],
    ['a tag that includes', { 'content-type': 'application/yaml' }, 'id: !include /etc/passwd\nactivities: []'],
    ['a merge key to a file', { 'content-type': 'application/yaml' }, '<<: file:///etc/passwd\nid: x'],
  ])('to import %s reads no file', async (_, headers, raw) => {
    const path = '/workflow-definitions/import'
    const answer = await api.send({ method: 'POST', path, as: BOOTSTRAP_KEY, headers, raw })
    expectProblem(answer)
    expect(JSON.stringify(answer.body)).not.toContain('root:')
  })

  // In groups by operation: a test for each would tell no more and take longer.
  const groups = new Map<string, typeof hostileCorpus>()
  for (const each of hostileCorpus) {
    const operation = each.name.split(' ')[0]!
    groups.set(operation, [...(groups.get(operation) ?? []), each])
  }
  it.each([...groups])('to %s gets a problem that is right, and never one of ours', async (_, requests) => {
    for (const [at, { name, sent, codes }] of requests.entries()) {
      // Each from an address of its own: how often one may try is another test's matter.
      const answer = await api.send({ ...sent, as: BOOTSTRAP_KEY, from: `10.3.0.${at % 250}` })
      expectProblem(answer)
      expect([name, answer.body.code, matches(answer.body.code, codes)]).toEqual([name, answer.body.code, true])
    }
  })

  it.each(Object.entries(hostileCredentials))('with %s gets in nowhere', async (name, headers) => {
    const requests = [
      { path: '/workflow-instances' },
      { method: 'POST', path: '/workflow-instances', raw: '{"definitionId":' },
      { method: 'POST', path: '/api-keys', raw: '{"name":"x","role":"admin"}' },
      { method: 'DELETE', path: '/users/ana' },
      { path: '/audit-log' },
    ] as const
    for (const request of requests) {
      const answer = await api.send({
        ...request,
        headers,
        from: `10.2.0.${Object.keys(hostileCredentials).indexOf(name)}`,
      })
      expectProblem(answer)
      expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHENTICATED'])
    }
  })
})
