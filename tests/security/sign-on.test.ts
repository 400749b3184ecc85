/** People sign in through an OpenID provider: code, PKCE, state and nonce; what they get is a session of ours, on any node. */

import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openIssuer, type TestIssuer } from './issuer.ts'
import { BOOTSTRAP_KEY, openSecuredApi, type SecuredApi, securedApp, sendTo, untilLimited } from './open-secured-api.ts'

const PUBLIC = 'https://workflows.example.org'
let issuer: TestIssuer
let api: SecuredApi
let other: FastifyInstance
let from = 0
beforeAll(async () => {
  issuer = await openIssuer()
  const oidc = { issuer: issuer.url, audience: 'lockstep', clientId: 'studio', tenantClaim: 'org' }
  const access = { auth: 'oidc', oidc, publicUrl: PUBLIC } as const
  api = await openSecuredApi(access)
  other = await securedApp(api.engine, api.db, access)
})
afterAll(async () => {
  await other?.close()
  await api?.[Symbol.asyncDispose]()
  issuer?.close()
})

const now = (): number => Math.floor(Date.now() / 1_000)
const ana = () => ({
  ...{ iss: issuer.url, aud: 'studio', sub: 'ana-1', iat: now(), exp: now() + 300 },
  ...{ preferred_username: 'ana', roles: ['operator'], org: 'default' },
})
const get = (app: FastifyInstance, url: string, cookie = '', address = `10.6.0.${++from}`) =>
  app.inject({ url, remoteAddress: address, headers: cookie === '' ? {} : { cookie } })
const cookiesOf = (headers: Record<string, unknown>): string[] => [headers['set-cookie']].flat().map(String)
const cookieOf = (headers: Record<string, unknown>, name: string): string =>
  cookiesOf(headers)
    .find((each) => each.startsWith(name) && !each.includes('Max-Age=0'))
    ?.split(';')[0] ?? ''

/** To the provider: where the browser is led, and what it keeps. */
async function leave(to = '/instances?status=faulted') {
  const started = await get(api.app, `/auth/oidc/start?to=${encodeURIComponent(to)}`)
  expect(started.statusCode).toBe(303)
  return { asked: new URL(String(started.headers.location)), kept: cookieOf(started.headers, 'lockstep-sign-on') }
}
/** And back, on the other node. */
async function comeBack(kept: string, query: Record<string, string>) {
  return get(other, `/auth/oidc/callback?${new URLSearchParams(query)}`, kept)
}

describe('single sign-on', () => {
  it('leads to the provider with everything that ties the answer to the question', async () => {
    const { asked, kept } = await leave()
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      ...{ tenant: 'main', response_type: 'code', client_id: 'studio', code_challenge_method: 'S256' },
      redirect_uri: `${PUBLIC}/auth/oidc/callback`,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(kept).not.toContain(asked.searchParams.get('state'))
  })

  it('ends in a session that any node knows, at the page that was wanted, and is signed out of', async () => {
    const { asked, kept } = await leave()
    const back = await comeBack(kept, issuer.consent(asked, ana()))
    expect([back.statusCode, back.headers.location]).toEqual([303, '/instances?status=faulted'])
    const cookie = cookieOf(back.headers, '__Host-lockstep-session')
    expect(cookiesOf(back.headers).join()).toMatch(/__Host-lockstep-session=.*HttpOnly; SameSite=Lax; Secure/)
    const who = await sendTo(api.app, { path: '/session', headers: { cookie } })
    expect(who.body).toMatchObject({ kind: 'token', name: 'ana', role: 'operator', tenant: 'default' })
    expect((await sendTo(api.app, { path: '/api-keys', headers: { cookie } })).status).toBe(403)
    const foreign = { cookie, origin: 'https://evil.example' }
    expect((await sendTo(api.app, { method: 'DELETE', path: '/session', headers: foreign })).status).toBe(403)
    expect((await sendTo(api.app, { method: 'DELETE', path: '/session', headers: { cookie } })).status).toBe(204)
    expect((await sendTo(other, { path: '/session', headers: { cookie } })).status).toBe(401)
    const first = async () =>
      (await api.send({ path: '/audit-log?operation=singleSignOn', as: BOOTSTRAP_KEY })).body.items.at(-1)
    await expect.poll(first).toMatchObject({ outcome: 'done', actor: { id: `token:${issuer.url}#ana-1` } })
  })

  it('ends when an administrator of the same tenant says so, on every node', async () => {
    const open = async (more: object = {}) => {
      const { asked, kept } = await leave()
      return cookieOf((await comeBack(kept, issuer.consent(asked, ana(), more))).headers, '__Host-lockstep-session')
    }
    const [first, second, bens] = [await open(), await open(), await open({ sub: 'ben-2' })]
    const status = async (cookie: string) => (await sendTo(other, { path: '/session', headers: { cookie } })).status
    const subject = `token:${issuer.url}#ana-1`
    const signOut = async (as: string) =>
      (await sendTo(api.app, { method: 'DELETE', path: `/sessions?subject=${encodeURIComponent(subject)}`, as })).body
    expect(await signOut(await api.keyOf('admin', { tenant: 'acme' }))).toEqual({ ended: 0 })
    const narrow = await api.keyOf('admin', { permissions: ['users:manage'] })
    expect((await signOut(narrow)).code).toBe('FORBIDDEN') // an administrator may have come that way
    expect(await status(first)).toBe(200)
    expect((await signOut(BOOTSTRAP_KEY)).ended).toBeGreaterThanOrEqual(2)
    expect([await status(first), await status(second), await status(bens)]).toEqual([401, 401, 200])
    const { items } = (await api.send({ path: '/audit-log?operation=endSessions', as: BOOTSTRAP_KEY })).body
    expect(items[0]).toMatchObject({ target: subject, outcome: 'done', actor: { id: 'key:bootstrap' } })
  })

  it.each(['https://evil.example/', '//evil.example/', '/\\evil.example/', 'javascript:alert(1)', '/\r\nx: y'])(
    'never leads on to %j',
    async (to) => {
      const { asked, kept } = await leave(to)
      expect((await comeBack(kept, issuer.consent(asked, ana()))).headers.location).toBe('/')
    },
  )

  it.each([
    ['nonce of another sign-in', { nonce: 'x'.repeat(43) }],
    ['no nonce', { nonce: undefined }],
    ['token for another client', { aud: 'lockstep' }],
    ['token of another issuer', { iss: 'https://evil.example' }],
    ['token that was passed on', { azp: 'someone-else' }],
    ['token that has expired', { exp: 1_000 }],
    ['token without a role of ours', { roles: ['wizard'] }],
    ['token without a tenant', { org: undefined }],
    ['token of nobody', { sub: '' }],
  ])('refuses a %s', async (_, more) => {
    const { asked, kept } = await leave()
    const back = await comeBack(kept, issuer.consent(asked, ana(), more))
    expect([back.statusCode, cookieOf(back.headers, '__Host-lockstep-session')]).toEqual([403, ''])
    expect(back.body).toContain('You are not signed in')
  })

  it('refuses an answer to a question that this browser did not ask', async () => {
    const [mine, theirs] = [await leave(), await leave()]
    const answer = issuer.consent(theirs.asked, ana())
    expect((await comeBack(mine.kept, answer)).statusCode).toBe(403)
    expect((await comeBack('', answer)).statusCode).toBe(403)
    expect((await comeBack('lockstep-sign-on=AAAA', answer)).statusCode).toBe(403)
    const forged = theirs.kept.slice(0, -4) + (theirs.kept.endsWith('AAAA') ? 'BBBB' : 'AAAA')
    expect((await comeBack(forged, answer)).statusCode).toBe(403)
    expect((await comeBack(theirs.kept, { ...answer, state: 'x' })).statusCode).toBe(403)
    expect((await comeBack(theirs.kept, { ...answer, iss: 'https://evil.example' })).statusCode).toBe(403)
    expect((await comeBack(theirs.kept, answer)).statusCode).toBe(303)
  })

  it('takes a code once, and none that was stolen on the way', async () => {
    const [mine, thief] = [await leave(), await leave()]
    const answer = issuer.consent(mine.asked, ana())
    expect((await comeBack(thief.kept, { ...answer, state: thief.asked.searchParams.get('state')! })).statusCode).toBe(
      403,
    )
    expect((await comeBack(mine.kept, answer)).statusCode).toBe(403)
    expect((await comeBack(mine.kept, { error: 'access_denied', state: answer.state })).statusCode).toBe(403)
  })

  it('says so when the provider is away, and is tried only so often', async () => {
    const { asked, kept } = await leave()
    const answer = issuer.consent(asked, ana())
    issuer.down(true)
    expect((await comeBack(kept, answer)).statusCode).toBe(503)
    issuer.down(false)
    const last = await untilLimited(
      () => get(api.app, '/auth/oidc/callback?code=x&state=y', '', '10.5.0.5'),
      ({ statusCode }) => statusCode,
    )
    expect(last.statusCode).toBe(429)
  })

  it('is offered only where it was set up', async () => {
    expect((await get(api.app, '/auth/options')).json()).toEqual({ auth: 'oidc', singleSignOn: true })
    const plain = await securedApp(api.engine, api.db)
    expect((await get(plain, '/auth/options')).json()).toEqual({ auth: 'keys', singleSignOn: false })
    expect((await get(plain, '/auth/oidc/start')).statusCode).toBe(404)
    await plain.close()
  })
})
