import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { Engine } from '@lockstep/engine'
import { type Db, openPostgres, postgresEngineStore, statement } from '@lockstep/postgres'
import { cloneDatabase } from '@lockstep/testing/harness'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { BOOTSTRAP_KEY, type Sent, securedApp, sendTo, type Told, told, untilLimited } from './open-secured-api.ts'

/** Two servers on one PostgreSQL: any of them serves any user. */
const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
const PASSWORD = 'correct horse battery staple'
const closers: (() => Promise<void>)[] = []
let url: string
let [a, b]: FastifyInstance[] = []
let db: Db
let count = 0
let from = 0

const open = async (more: object = {}): Promise<FastifyInstance> => {
  const own = await openPostgres({ url, ...edge })
  const engine = await Engine.open({ ...edge, store: postgresEngineStore(own) })
  const app = await securedApp(engine, own, more)
  closers.push(async () => {
    await app.close()
    await engine.close(1_000)
    await own.close()
  })
  db = own
  return app
}
beforeAll(async () => {
  const database = await cloneDatabase(inject('postgres'))
  url = database.url
  closers.push(() => database.drop())
  a = await open()
  b = await open()
})
afterAll(async () => {
  for (const close of closers.reverse()) await close()
})

let name: string
beforeEach(async () => {
  name = `ana${++count}`
  const body = { name, password: PASSWORD, role: 'operator' }
  const made = await sendTo(a!, { method: 'POST', path: '/users', as: BOOTSTRAP_KEY, body })
  expect([made.status, JSON.stringify(made.body).includes('assword')]).toEqual([201, false])
})

/** Every sign-in from an address of its own: how often one may try is another test's matter. */
const signIn = (app: FastifyInstance, body: object = { name, password: PASSWORD }, headers: Sent['headers'] = {}) =>
  sendTo(app, { method: 'POST', path: '/session', body, headers, from: `10.0.0.${++from}` })
const cookieOf = (headers: Record<string, unknown>): string => String(headers['set-cookie']).split(';')[0]!
const signedIn = async (app = a!) => ({ cookie: cookieOf((await signIn(app)).headers) })
const sessions = statement<undefined, { text: string | null; live: string }>(
  'test_sessions',
  () => [],
  `select string_agg(s::text || u.password_hash, ' ') as text, count(*)::text as live from user_session s join local_user u on u.name = s.user_name`,
)
const age = statement<string>(
  'test_age_session',
  (user) => [user],
  `update user_session set expires_at = clock_timestamp() + interval '1 hour' where user_name = $1`,
)
const endless = statement<string>(
  'test_old_session',
  (user) => [user],
  `update user_session set expires_at = clock_timestamp() - interval '1 second' where user_name = $1`,
)
const left = statement<string, { ms: number }>(
  'test_session_left',
  (user) => [user],
  `select (extract(epoch from expires_at - clock_timestamp()) * 1000)::float8 as ms from user_session where user_name = $1`,
)

describe('a session', () => {
  it('opened on one node is known on the other, and ends on both', async () => {
    const answer = await signIn(a!)
    expect([answer.status, answer.body.role, answer.headers['cache-control']]).toEqual([200, 'operator', 'no-store'])
    expect(answer.headers['set-cookie']![0]).toMatch(/^lockstep-session=.{43}; Path=\/; HttpOnly; SameSite=Lax$/)
    const headers = { cookie: cookieOf(answer.headers) }
    expect((await sendTo(b!, { path: '/session', headers })).body).toMatchObject({ kind: 'user', name })
    const out = await sendTo(b!, { method: 'DELETE', path: '/session', headers })
    expect([out.status, String(out.headers['set-cookie'])]).toEqual([204, expect.stringContaining('Max-Age=0')])
    expect((await sendTo(a!, { path: '/session', headers })).status).toBe(401)
  })

  it('is kept as a hash under the secret: neither the table nor another secret opens anything', async () => {
    const headers = await signedIn()
    const { text } = await db.one(sessions)
    expect(text).toContain('scrypt$10$8$1$')
    expect([text!.includes(headers.cookie.split('=')[1]!), text!.includes(PASSWORD)]).toEqual([false, false])
    const other = await open({ secret: 'a new secret, made after a leak' })
    expect((await sendTo(other, { path: '/session', headers })).status).toBe(401)
  })

  it('moves its end on while it is used, and is over when it was not', async () => {
    const headers = await signedIn()
    await db.run(age, name)
    expect((await sendTo(b!, { path: '/session', headers })).status).toBe(200)
    expect((await db.one(left, name)).ms).toBeGreaterThan(7 * 3_600_000)
    await db.run(endless, name)
    expect((await sendTo(b!, { path: '/session', headers })).status).toBe(401)
  })

  it.each([
    ['barred', { disabled: true }],
    ['given another role', { role: 'viewer' }],
    ['given another password', { password: 'another good password' }],
  ])('ends when its user is %s', async (_, body) => {
    const headers = await signedIn()
    await sendTo(a!, { method: 'PUT', path: `/users/${name}`, as: BOOTSTRAP_KEY, body })
    expect((await sendTo(b!, { path: '/session', headers })).status).toBe(401)
  })

  it('ends with all the others of its user when an administrator says so, and nobody else’s does', async () => {
    const [first, second, other] = [await signedIn(a!), await signedIn(b!), name]
    name = `${name}-too`
    await sendTo(a!, {
      ...{ method: 'POST', path: '/users', as: BOOTSTRAP_KEY },
      body: { name, password: PASSWORD, role: 'viewer' },
    })
    const theirs = await signedIn(a!)
    const signOut = (who: string, as = BOOTSTRAP_KEY) =>
      sendTo(a!, { method: 'DELETE', path: `/sessions?subject=user:${who}`, as })
    expect(await signOut(other)).toMatchObject({ status: 200, body: { ended: 2 } })
    for (const headers of [first, second]) expect((await sendTo(b!, { path: '/session', headers })).status).toBe(401)
    expect((await sendTo(b!, { path: '/session', headers: theirs })).status).toBe(200)
    expect((await signOut(other)).body).toEqual({ ended: 0 })
    const { items } = (await sendTo(a!, { path: `/audit-log?target=user:${other}`, as: BOOTSTRAP_KEY })).body
    expect(items[0]).toMatchObject({ operation: 'endSessions', outcome: 'done', target: `user:${other}` })
    await db.run(endless, name)
    expect((await signOut(name)).body).toEqual({ ended: 0 })
    expect((await signOut('nobody-of-this-name')).body.code).toBe('USER_NOT_FOUND')
  })

  it('is ended by nobody who may do less than its user, nor by another tenant', async () => {
    const headers = await signedIn()
    const keyOf = async (more: object): Promise<string> =>
      (
        await sendTo(a!, {
          ...{ method: 'POST', path: '/api-keys', as: BOOTSTRAP_KEY },
          body: { name: 'k', role: 'admin', ...more },
        })
      ).body.key
    const signOut = async (as: string) =>
      (await sendTo(a!, { method: 'DELETE', path: `/sessions?subject=user:${name}`, as })).body.code
    expect(await signOut(await keyOf({ permissions: ['users:manage'] }))).toBe('FORBIDDEN')
    expect(await signOut(await keyOf({ tenant: 'acme' }))).toBe('USER_NOT_FOUND')
    expect((await sendTo(b!, { path: '/session', headers })).status).toBe(200)
    const odd = await sendTo(a!, { method: 'DELETE', path: '/sessions?subject=key:bootstrap', as: BOOTSTRAP_KEY })
    expect([odd.status, odd.body.errors[0].field]).toEqual([400, 'subject'])
  })

  it('gives way to a bearer token, a wrong one too', async () => {
    const headers = await signedIn()
    expect((await sendTo(a!, { path: '/session', headers, as: BOOTSTRAP_KEY })).body.kind).toBe('key')
    expect((await sendTo(a!, { path: '/session', headers, as: 'nonsense' })).status).toBe(401)
  })

  it('has a secure cookie of this host alone behind https', async () => {
    const secure = await open({ publicUrl: 'https://workflows.example.org' })
    const { headers } = await signIn(secure)
    expect(headers['set-cookie']![0]).toMatch(/^__Host-lockstep-session=.*; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
    expect(headers['strict-transport-security']).toContain('max-age=')
  })
})

describe('a change on behalf of a cookie', () => {
  const event = { method: 'POST', path: '/events', body: { name: 'paid' } } as const
  it.each([
    ['our own page', { origin: 'http://localhost', host: 'localhost', 'sec-fetch-site': 'same-origin' }, 202],
    ['a program', {}, 202],
    ['our own page that tells nobody where it is', { origin: 'null', 'sec-fetch-site': 'same-origin' }, 202],
    ['a page that tells nobody where it is', { origin: 'null', 'sec-fetch-site': 'cross-site' }, 403],
    ['something without a place', { origin: 'null' }, 403],
    ['a page of another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, 403],
    ['a page of another site that hides', { origin: 'null' }, 403],
    ['another host of the site', { origin: 'http://other.localhost', 'sec-fetch-site': 'same-site' }, 403],
    ['an old browser without Origin', { 'sec-fetch-site': 'cross-site' }, 403],
  ])('from %s', async (_, headers, status) => {
    const answer = await sendTo(a!, { ...event, headers: { ...(await signedIn()), ...headers } })
    expect([answer.status, answer.body.code]).toEqual([status, status === 403 ? 'CROSS_SITE_REQUEST' : undefined])
  })

  it('with a bearer token is nobody’s but the holder’s', async () => {
    const answer = await sendTo(a!, { ...event, as: BOOTSTRAP_KEY, headers: { origin: 'https://app.example' } })
    expect(answer.status).toBe(202)
  })

  it('cannot be a sign-in by another site either', async () => {
    const answer = await signIn(a!, undefined, { origin: 'https://evil.example' })
    expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined])
  })
})

describe('a sign-in', () => {
  it('that fails says nothing of why', async () => {
    await sendTo(a!, { method: 'PUT', path: `/users/${name}`, as: BOOTSTRAP_KEY, body: { disabled: true } })
    const wrong = [
      { name, password: PASSWORD },
      { name, password: 'wrong' },
      { name: 'nobody-of-this-name', password: 'wrong' },
      { name: `${name}'--`, password: PASSWORD },
    ]
    const answers = []
    for (const body of wrong) answers.push(await signIn(b!, body))
    expect(new Set(answers.map(told))).toEqual(new Set([told(answers[0]!)]))
    expect([answers[0]!.status, answers[0]!.body.code]).toEqual([401, 'SIGN_IN_FAILED'])
    expect(answers.some(({ headers }) => 'set-cookie' in headers)).toBe(false)
  })

  it('is not kept out by strangers who guess at the same name, on a device where one has signed in before', async () => {
    const apart = await open()
    const attempt = (body: object, address: string, cookie?: string) =>
      sendTo(apart, { method: 'POST', path: '/session', body, from: address, headers: cookie ? { cookie } : {} })
    const right = { name, password: PASSWORD }
    const [session, device] = [(await attempt(right, '10.7.7.7')).headers['set-cookie']].flat() as [string, string]
    expect(session).toMatch(/^lockstep-session=/)
    expect(device).toMatch(
      /^lockstep-device=[\w-]{22}\.[\w-]{43}; Path=\/api\/v1\/session; HttpOnly; SameSite=Strict; Max/,
    )
    const known = device.split(';')[0]!
    const guess = (n: number) => attempt({ name, password: 'wrong' }, `10.6.6.${n}`)
    await untilLimited(guess, ({ status }) => status)
    expect((await attempt(right, '10.5.5.1')).status).toBe(429)
    const back = await attempt(right, '10.5.5.2', `a=b; ${known}`)
    expect(back.status).toBe(200)
    // It stays the same device, whose own tries are counted.
    expect([back.headers['set-cookie']].flat()[1]).toContain(known)
    const worn = await untilLimited(
      (n) => attempt({ name, password: 'wrong' }, `10.4.4.${n}`, known),
      ({ status }) => status,
    )
    expect(worn.body.code).toBe('RATE_LIMITED')

    // Of another user, or made up, it is worth nothing.
    await untilLimited(
      (n) => attempt({ name: 'other', password: 'wrong' }, `10.3.3.${n}`),
      ({ status }) => status,
    )
    const forged = [
      known,
      `${known.slice(0, -1)}${known.endsWith('A') ? 'B' : 'A'}`,
      'lockstep-device=x',
      'lockstep-device',
    ]
    for (const cookie of forged)
      expect((await attempt({ name: 'other', password: 'wrong' }, '10.5.5.3', cookie)).status).toBe(429)
    expect((await guess(251)).status).toBe(429)
  })

  it('may be tried only so often', async () => {
    const apart = await open()
    const attempt = (body: object, address: string) =>
      sendTo(apart, { method: 'POST', path: '/session', body, from: address })
    const limited = (tryOnce: (n: number) => Promise<Told>) => untilLimited(tryOnce, ({ status }) => status)
    expect((await attempt({ name: 'nobody', password: 'wrong' }, '10.9.9.9')).status).toBe(401)
    await limited((n) => attempt({ name: `nobody${n}`, password: 'wrong' }, '10.9.9.9'))
    const { body, headers } = await limited(() => attempt({ name, password: PASSWORD }, '10.9.9.9'))
    expect([body.code, Number(headers['retry-after']) > 0]).toEqual(['RATE_LIMITED', true])
    expect((await attempt({ name, password: PASSWORD }, '10.9.9.10')).status).toBe(200)
    const named = await limited((n) => attempt({ name: 'one-name', password: 'wrong' }, `10.8.8.${n}`))
    expect([named.status, named.body.code]).toEqual([429, 'RATE_LIMITED'])
    // One network of IPv6 has more addresses than could ever be counted one by one.
    const sixth = (n: number, net: string) =>
      attempt({ name: `v6-${net}-${n}`, password: 'wrong' }, `2001:db8:${net}::${n}`)
    expect((await limited((n) => sixth(n + 1, '1:1'))).status).toBe(429)
    expect((await sixth(99, '1:2')).status).toBe(401)
  })
})
