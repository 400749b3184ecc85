import { postgresAccess, statement } from '@lockstep/postgres'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  BOOTSTRAP_KEY,
  openSecuredApi,
  type SecuredApi,
  securedApp,
  sendTo,
  told,
  untilLimited,
} from './open-secured-api.ts'

let api: SecuredApi
beforeAll(async () => {
  api = await openSecuredApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const make = (body: object, as = BOOTSTRAP_KEY) => api.send({ method: 'POST', path: '/api-keys', as, body })
const who = (as: string) => api.send({ path: '/session', as })
const wholeTable = statement<undefined, { text: string }>(
  'test_api_keys',
  () => [],
  `select string_agg(k::text, ' ') || (select coalesce(string_agg(r::text, ' '), '') from request_answer r) as text from api_key k`,
)
const expireNow = statement<string>(
  'test_expire_key',
  (name) => [name],
  `update api_key set expires_at = clock_timestamp() - interval '1 second' where name = $1`,
)

describe('an API key', () => {
  it('is shown once, kept as a hash, and known by name, role and tenant', async () => {
    const made = await make({ name: 'ci', role: 'operator', expiresIn: '1h' })
    expect([made.status, made.headers['cache-control']]).toEqual([201, 'no-store'])
    expect(made.body.key).toMatch(/^lsk_[0-9a-f]{32}_[A-Za-z0-9_-]{43}$/)
    expect((await who(made.body.key)).body).toMatchObject({
      kind: 'key',
      name: 'ci',
      role: 'operator',
      tenant: 'default',
    })
    const { items } = (await api.send({ path: '/api-keys', as: BOOTSTRAP_KEY })).body
    expect(items.find((each: { name: string }) => each.name === 'ci')).toMatchObject({
      live: true,
      lastUsedAt: expect.any(String),
      createdBy: 'key:bootstrap',
    })
    const { text } = await api.db.one(wholeTable)
    expect(text).toContain('operator')
    expect([text.includes(made.body.key), text.includes(made.body.key.slice(-43))]).toEqual([false, false])
    expect(JSON.stringify(items)).not.toContain(made.body.key.slice(-43))
  })

  it('keeps no answer for an Idempotency-Key: two requests are two keys', async () => {
    const headers = { 'idempotency-key': 'twice' }
    const ask = () =>
      api.send({ method: 'POST', path: '/api-keys', as: BOOTSTRAP_KEY, headers, body: { name: 'x', role: 'viewer' } })
    const [first, second] = [await ask(), await ask()]
    expect([first.status, second.status, first.body.key === second.body.key]).toEqual([201, 201, false])
  })

  it('has Idempotency-Keys of its own: the same one of two callers is two instances', async () => {
    const document = { id: 'twice', activities: [{ id: 'a', type: 'log', inputs: { message: 'here' } }] }
    await api.send({ method: 'PUT', path: '/workflow-definitions/twice', as: BOOTSTRAP_KEY, body: document })
    const start = async (as: string): Promise<string> => {
      const headers = { 'idempotency-key': 'order-4711' }
      const body = { definitionId: 'twice' }
      return (await api.send({ method: 'POST', path: '/workflow-instances', as, headers, body })).body.id
    }
    const other = await api.keyOf('operator')
    const [first, again, theirs] = [await start(BOOTSTRAP_KEY), await start(BOOTSTRAP_KEY), await start(other)]
    expect([first, again === first, theirs !== first]).toEqual([expect.stringMatching(/^wfi_/), true, true])
    expect(await start(other)).toBe(theirs)
  })

  it('is of no use once revoked, at once, and revoking again changes nothing', async () => {
    const { key, id } = (await make({ name: 'short', role: 'viewer' })).body
    expect((await who(key)).status).toBe(200)
    const revoke = () => api.send({ method: 'POST', path: `/api-keys/${id}/revoke`, as: BOOTSTRAP_KEY })
    const first = await revoke()
    expect([first.status, first.body.live]).toEqual([200, false])
    expect((await who(key)).body.code).toBe('UNAUTHENTICATED')
    expect((await revoke()).body.revokedAt).toBe(first.body.revokedAt)
  })

  it('is of no use once its time is over', async () => {
    const { key } = (await make({ name: 'late', role: 'viewer', expiresIn: '1h' })).body
    await api.db.run(expireNow, 'late')
    expect((await who(key)).body.code).toBe('UNAUTHENTICATED')
  })

  it('can be narrowed to some of what its role may', async () => {
    const key = await api.keyOf('operator', { permissions: ['instances:read'] })
    expect((await api.send({ path: '/workflow-instances', as: key })).status).toBe(200)
    const start = { method: 'POST', path: '/workflow-instances', as: key, body: { definitionId: 'x' } } as const
    expect((await api.send(start)).body).toMatchObject({
      code: 'FORBIDDEN',
      detail: expect.stringContaining('instances:start'),
    })
    const beyond = await make({ name: 'x', role: 'viewer', permissions: ['keys:manage'] })
    expect([beyond.status, beyond.body.errors[0].field]).toEqual([400, '/permissions'])
  })

  it('cannot hand out what it does not have', async () => {
    const giver = await api.keyOf('admin', { permissions: ['keys:manage', 'users:manage', 'instances:read'] })
    expect((await make({ name: 'x', role: 'admin' }, giver)).body.code).toBe('FORBIDDEN')
    expect((await make({ name: 'x', role: 'viewer', permissions: ['locks:read'] }, giver)).body.code).toBe('FORBIDDEN')
    expect((await make({ name: 'x', role: 'viewer', permissions: ['instances:read'] }, giver)).status).toBe(201)
    const user = { name: 'eve', password: 'long enough, is it', role: 'admin' }
    expect((await api.send({ method: 'POST', path: '/users', as: giver, body: user })).body.code).toBe('FORBIDDEN')
    await api.send({ method: 'POST', path: '/users', as: BOOTSTRAP_KEY, body: { ...user, name: 'root' } })
    const takeOver = {
      method: 'PUT',
      path: '/users/root',
      as: giver,
      body: { password: 'mine now, all mine' },
    } as const
    expect((await api.send(takeOver)).body.code).toBe('FORBIDDEN')
  })

  it('of another tenant is there for that tenant and for those who run the cluster', async () => {
    const acme = await api.keyOf('admin', { tenant: 'acme', name: 'acme-admin' })
    const names = async (as: string) =>
      (await api.send({ path: '/api-keys', as })).body.items.map((each: { name: string }) => each.name)
    expect(await names(acme)).toEqual(['acme-admin'])
    expect(await names(BOOTSTRAP_KEY)).toEqual(expect.arrayContaining(['acme-admin', 'ci']))
    expect((await make({ name: 'x', role: 'viewer', tenant: 'default' }, acme)).body.code).toBe('FORBIDDEN')
    expect((await make({ name: 'x', role: 'viewer' }, acme)).body.tenant).toBe('acme')
  })
})

describe('credentials that are none', () => {
  it('get the same answer, whatever is wrong with them', async () => {
    const { key } = (await make({ name: 'good', role: 'viewer' })).body
    const other = (await make({ name: 'other', role: 'viewer' })).body.key
    const wrong = [
      `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`,
      `${key.slice(0, 37)}${other.slice(37)}`,
      key.slice(0, -1),
      `lsk_${'0'.repeat(32)}_${'A'.repeat(43)}`,
      `${BOOTSTRAP_KEY}x`,
    ]
    const answers = await Promise.all(wrong.map((each) => who(each)))
    expect(new Set(answers.map(told)).size).toBe(1)
    expect(answers[0]!.headers['www-authenticate']).toBe('Bearer')
    for (const authorization of ['Basic YTpi', 'Bearer', `bearer  ${key} x`])
      expect((await api.send({ path: '/session', headers: { authorization } })).status).toBe(401)
  })

  it('are slowed down after a number of them, for that address', async () => {
    const { headers, body } = await untilLimited(
      () => who('nonsense'),
      ({ status }) => status,
    )
    expect([body.code, Number(headers['retry-after']) > 0]).toEqual(['RATE_LIMITED', true])
    expect((await who(BOOTSTRAP_KEY)).status).toBe(200)
  })
})

describe('credentials that are made up', () => {
  const madeUp = (n: number): string => String(n).padStart(43, 'x')
  const ways = {
    keys: (n: number) => ({ authorization: `Bearer lsk_${String(n).padStart(32, '0')}_${madeUp(n)}` }),
    cookies: (n: number) => ({ cookie: `lockstep-session=${madeUp(n)}` }),
  }

  it.each(['keys', 'cookies'] as const)(
    'as %s, are soon not looked for any more, while those that were right before still are',
    async (way) => {
      const store = postgresAccess(api.db)
      const looks = way === 'keys' ? vi.spyOn(store.keys, 'find') : vi.spyOn(store.sessions, 'touch')
      const site = await securedApp(api.engine, api.db, { store })
      const path = '/session'
      try {
        const good = await api.keyOf('viewer')
        const from = '10.8.0.1'
        expect((await sendTo(site, { path, from, as: good })).status).toBe(200)
        const send = async (n: number, address = from) => {
          const before = looks.mock.calls.length
          const { body } = await sendTo(site, { path, from: address, headers: ways[way](n) })
          return { code: body.code, looked: looks.mock.calls.length > before }
        }
        let last = await send(0)
        expect(last.looked).toBe(true)
        for (let n = 1; n < 2_000 && last.looked; n += 1) last = await send(n)
        expect(last).toEqual({ code: 'RATE_LIMITED', looked: false })
        expect((await sendTo(site, { path, from, as: good })).status).toBe(200)
        expect(await send(3_000, '10.8.0.2')).toEqual({ code: 'UNAUTHENTICATED', looked: true })
      } finally {
        await site.close()
      }
    },
  )
})
