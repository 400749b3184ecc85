/** Requests under `/workflows` to a server that asks who they come from. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BOOTSTRAP_KEY, openSecuredApi, type SecuredApi, securedApp } from './open-secured-api.ts'

let api: SecuredApi
const keys: Record<'east' | 'viewer' | 'operator', string> = { east: '', viewer: '', operator: '' }
beforeAll(async () => {
  api = await openSecuredApi()
  keys.east = await api.keyOf('admin', { tenant: 'east' })
  keys.viewer = await api.keyOf('viewer')
  keys.operator = await api.keyOf('operator')
  await publish(BOOTSTRAP_KEY, 'open', { path: '/open' })
  await publish(keys.east, 'open', { path: '/open' })
  await publish(keys.east, 'eastern', { path: '/eastern' })
  await publish(BOOTSTRAP_KEY, 'traced', { path: '/traced', headers: ['x-request-id'] })
  await publish(BOOTSTRAP_KEY, 'closed', { path: '/closed', auth: 'required' })
})
afterAll(() => api?.[Symbol.asyncDispose]())

async function publish(as: string, id: string, inputs: object): Promise<void> {
  const body = {
    id,
    activities: [
      { id: 'in', type: 'http-endpoint', inputs: { mode: 'sync', ...inputs } },
      { id: 'reply', type: 'http-response', inputs: { body: { $expr: 'input.body' } } },
    ],
    connections: [{ from: 'in', to: 'reply' }],
  }
  const { status } = await api.send({ method: 'PUT', path: `/workflow-definitions/${id}`, as, body })
  expect(status).toBeLessThan(300)
}

const send = async (path: string, headers: Record<string, string> = {}, body: unknown = 1, app = api.app) => {
  const answer = await app.inject({
    method: 'POST',
    url: `/workflows${path}`,
    headers: { 'content-type': 'application/json', ...headers },
    payload: JSON.stringify(body),
  })
  return { status: answer.statusCode, headers: answer.headers, body: answer.json() }
}
const as = (key: string) => ({ authorization: `Bearer ${key}` })
const started = async (key: string, definition: string): Promise<number> =>
  (await api.send({ path: `/workflow-instances?definition=${definition}&limit=100`, as: key })).body.items.length

describe('a request to a workflow', () => {
  it('reaches the workflows of its own tenant, and those of the default tenant without credentials', async () => {
    const before = [await started(BOOTSTRAP_KEY, 'open'), await started(keys.east, 'open')]
    expect((await send('/open')).status).toBe(200)
    expect((await send('/open', as(keys.east))).status).toBe(200)
    expect((await send('/open', as(keys.east))).status).toBe(200)
    expect([await started(BOOTSTRAP_KEY, 'open'), await started(keys.east, 'open')]).toEqual([
      before[0]! + 1,
      before[1]! + 2,
    ])
    expect((await send('/eastern', as(keys.east))).status).toBe(200)
    expect((await send('/eastern')).status).toBe(404)
    expect((await send('/eastern', as(keys.operator))).status).toBe(404)
  })

  it.each([
    ['a query', '?__proto__=1', 'application/json', '1'],
    ['a form', '', 'application/x-www-form-urlencoded', 'a=1&__proto__=2'],
    ['JSON', '', 'application/json', '{"a":{"__proto__":1}}'],
    ['JSON of a kind', '', 'application/x+json', '{"\\u005f_proto__":1}'],
  ])('starts nothing with a prototype in %s', async (_, query, type, payload) => {
    const before = await started(BOOTSTRAP_KEY, 'open')
    const url = `/workflows/open${query}`
    const answer = await api.app.inject({ method: 'POST', url, headers: { 'content-type': type }, payload })
    expect([answer.statusCode, answer.json().code]).toEqual([400, query === '' ? 'MALFORMED_JSON' : 'INVALID_REQUEST'])
    expect(answer.json().detail).toContain('__proto__')
    expect(await started(BOOTSTRAP_KEY, 'open')).toBe(before)
  })

  it('is refused with credentials that are wrong, and not with such as are for somebody else', async () => {
    expect((await send('/open', as(`${keys.operator}x`))).body).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' })
    expect((await send('/open', { authorization: 'Basic c2hvcDpzM2NyZXQ=' })).status).toBe(200)
  })

  it('needs the right to start where the endpoint asks for it', async () => {
    const before = await started(BOOTSTRAP_KEY, 'closed')
    const stranger = await send('/closed')
    expect(stranger.body).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' })
    expect(stranger.headers['www-authenticate']).toBeDefined()
    expect((await send('/closed', as(keys.viewer))).body).toMatchObject({ status: 403, code: 'FORBIDDEN' })
    expect(await started(BOOTSTRAP_KEY, 'closed')).toBe(before)
    expect((await send('/closed', as(keys.operator), 'in')).body).toBe('in')
    expect((await send('/closed', as(keys.east))).status).toBe(404)
  })

  it('takes a session for what it is only on pages of this server', async () => {
    const user = { name: 'ann', password: 'correct horse battery staple', role: 'operator' }
    expect((await api.send({ method: 'POST', path: '/users', as: BOOTSTRAP_KEY, body: user })).status).toBe(201)
    const { name, password } = user
    const { headers } = await api.send({ method: 'POST', path: '/session', body: { name, password } })
    const cookie = String(headers['set-cookie']).split(';', 1)[0]!
    expect((await send('/closed', { cookie, 'sec-fetch-site': 'same-origin' })).status).toBe(200)
    const elsewhere = { cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    expect((await send('/closed', elsewhere)).status).toBe(401)
    expect((await send('/open', elsewhere)).status).toBe(200)
  })

  it('has its Idempotency-Key for itself', async () => {
    const key = { 'idempotency-key': 'same' }
    const [mine, theirs] = [
      await send('/open', { ...key, ...as(keys.operator) }, 'mine'),
      await send('/open', { ...key, ...as(keys.viewer) }, 'theirs'),
    ]
    expect([mine.body, theirs.body]).toEqual(['mine', 'theirs'])
    expect((await send('/open', { ...key, ...as(keys.viewer) }, 'mine')).body).toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    })
    const again = await send('/open', { ...key, ...as(keys.operator) }, 'mine')
    expect([again.body, again.headers['idempotent-replayed']]).toEqual(['mine', 'true'])
  })

  it('is the same one with its key when it is tried again, with whatever headers each attempt has of its own', async () => {
    const key = { 'idempotency-key': 'attempts', ...as(keys.operator) }
    const first = await send('/traced', { ...key, 'x-request-id': 'try 1' }, 'once')
    const again = await send('/traced', { ...key, 'x-request-id': 'try 2' }, 'once')
    expect([first.body, again.body, again.headers['idempotent-replayed']]).toEqual(['once', 'once', 'true'])
    expect(again.headers.location).toBe(first.headers.location)
  })

  it('starts anew with a key of another day, and once within its day although its answer was lost', async () => {
    const key = { 'idempotency-key': 'daily', ...as(keys.operator) }
    const at = async (): Promise<string> => String((await send('/open', key, 'daily')).headers.location)
    const first = await at()
    await api.db.script(
      `update request_answer set status = null, answer = null, held_until = clock_timestamp() where key = 'daily'`,
    )
    expect(await at()).toBe(first)
    await api.db.script(
      `update request_answer set expires_at = clock_timestamp() - interval '1 second' where key = 'daily'`,
    )
    const next = await at()
    expect(next).not.toBe(first)
    expect(await at()).toBe(next)
  })

  it('stands in the audit log with the workflow, whoever sent it, and nothing of what it said', async () => {
    await send('/open', { 'user-agent': 'audited' }, { reason: 'a secret of a stranger' })
    await send('/closed', { ...as(keys.viewer), 'user-agent': 'audited' })
    const entries = async () =>
      (await api.send({ path: '/audit-log?limit=100', as: BOOTSTRAP_KEY })).body.items.filter(
        (each: { agent?: string; userAgent?: string }) => JSON.stringify(each).includes('audited'),
      )
    await expect.poll(async () => (await entries()).length).toBe(2)
    const all = await entries()
    expect(all).toMatchObject([
      { operation: 'startByRequest', target: 'closed', outcome: 'FORBIDDEN', status: 403 },
      { operation: 'startByRequest', target: 'open', outcome: 'done', status: 202 },
    ])
    expect(JSON.stringify(all)).not.toContain('secret of a stranger')
  })

  it('is counted before anything is looked up, as those to links and to sign-on are', async () => {
    const app = await securedApp(api.engine, api.db, { rateLimit: { burst: 3, perMs: 3_600_000 } })
    const find = api.engine.http.find.bind(api.engine.http)
    let looked = 0
    api.engine.http.find = (...asked) => {
      looked += 1
      return find(...asked)
    }
    try {
      const statuses = []
      for (let n = 0; n < 5; n += 1) statuses.push((await send('/nowhere', {}, 1, app)).status)
      expect([statuses, looked]).toEqual([[404, 404, 404, 429, 429], 3])
      expect((await app.inject({ url: '/resume/some-token' })).statusCode).toBe(429)
      expect((await app.inject({ url: '/auth/options' })).statusCode).toBe(429)
      expect((await send('/open', as(keys.operator), 1, app)).status).toBe(200)
    } finally {
      api.engine.http.find = find
      await app.close()
    }
  })
})
