import { systemClock } from '@lockstep/base'
import { generateKeyPair, type JWTPayload } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openIssuer, type TestIssuer } from './issuer.ts'
import { BOOTSTRAP_KEY, openSecuredApi, type SecuredApi } from './open-secured-api.ts'

const AUDIENCE = 'lockstep-of-this-test'
let issuer: TestIssuer
let api: SecuredApi
beforeAll(async () => {
  issuer = await openIssuer()
  const oidc = { issuer: issuer.url, audience: AUDIENCE, roleClaim: 'realm.roles', tenantClaim: 'org' }
  api = await openSecuredApi({ auth: 'oidc', oidc })
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  issuer.close()
})

const seconds = (): number => Math.floor(systemClock.now() / 1_000)
const claims = (more: JWTPayload = {}): JWTPayload => ({
  iss: issuer.url,
  aud: AUDIENCE,
  sub: 'ana',
  org: 'acme',
  realm: { roles: ['other', 'operator', 'viewer'] },
  iat: seconds(),
  exp: seconds() + 3_600,
  ...more,
})
/** Each from an address of its own: how many may fail is another test's matter. */
let count = 0
const who = (as: string) => api.send({ path: '/session', as, from: `10.0.0.${++count}` })
const without = (name: string): JWTPayload => {
  const { [name]: _, ...rest } = claims()
  return rest
}
const segment = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('a token of the issuer', () => {
  it('is let in with its highest role, as its tenant', async () => {
    const { status, body } = await who(await issuer.sign(claims()))
    expect([status, body]).toEqual([200, expect.objectContaining({ kind: 'token', role: 'operator', tenant: 'acme' })])
    expect(body.id).toBe(`token:${issuer.url}#ana`)
  })

  it('is let in as one of several audiences, and as the kind that issuers say it is', async () => {
    for (const more of [{ aud: ['another', AUDIENCE] }, { typ: 'Bearer' }, { token_use: 'access' }])
      expect((await who(await issuer.sign(claims(more)))).status).toBe(200)
  })

  it('is let in with nothing when it has no role of ours', async () => {
    const token = await issuer.sign(claims({ realm: { roles: ['superuser'] } }))
    expect((await who(token)).body).toMatchObject({ role: null, permissions: [] })
    expect((await api.send({ path: '/workflow-instances', as: token })).body.code).toBe('FORBIDDEN')
  })

  it('does not keep API keys out', async () => {
    expect((await who(BOOTSTRAP_KEY)).body.kind).toBe('key')
  })

  const forged: Readonly<Record<string, () => Promise<string> | string>> = {
    'of another audience': () => issuer.sign(claims({ aud: 'another' })),
    'without an audience': () => issuer.sign(without('aud')),
    'of another issuer': () => issuer.sign(claims({ iss: 'https://evil.example' })),
    'without an issuer': () => issuer.sign(without('iss')),
    'that has expired': () => issuer.sign(claims({ exp: seconds() - 120 })),
    'that never expires': () => issuer.sign(without('exp')),
    'that is not good yet': () => issuer.sign(claims({ nbf: seconds() + 600 })),
    'without a subject': () => issuer.sign(without('sub')),
    'with an empty subject': () => issuer.sign(claims({ sub: '' })),
    'without the time of its making': () => issuer.sign(without('iat')),
    'without a tenant': () => issuer.sign(without('org')),
    'with a tenant that is no name': () => issuer.sign(claims({ org: '../default' })),
    'with tenants in a list': () => issuer.sign(claims({ org: ['default'] })),
    'without a key id': () => issuer.sign(claims(), { kid: undefined }),
    'with a key id that nobody has': () => issuer.sign(claims(), { kid: 'key-of-nobody' }),
    'that is an id token by its type': () => issuer.sign(claims(), { typ: 'id_token+jwt' }),
    'that is an id token by its claims': () => issuer.sign(claims({ at_hash: 'x' })),
    'that is an id token as Keycloak writes it': () => issuer.sign(claims({ typ: 'ID' })),
    'that is a refresh token as Keycloak writes it': () => issuer.sign(claims({ typ: 'Refresh' })),
    'that is an id token as Cognito writes it': () => issuer.sign(claims({ token_use: 'id' })),
    'that signs somebody out': () => issuer.sign(claims({ events: {} })),
    'that is more than a year old': () => issuer.sign(claims({ iat: seconds() - 400 * 86_400 })),
    'that is made in times to come': () => issuer.sign(claims({ iat: seconds() + 600 })),
    'that asks for an extension': () => issuer.sign(claims(), { crit: ['b64'], b64: true }),
    'signed by another key': async () => issuer.sign(claims(), {}, (await generateKeyPair('RS256')).privateKey),
    'with the key of its choice in it': async () => {
      const { privateKey } = await generateKeyPair('RS256')
      return issuer.sign(
        claims(),
        { jwk: JSON.parse(issuer.publicKeyText), jku: 'https://evil.example/keys' },
        privateKey,
      )
    },
    'signed with the public key as a secret': () =>
      issuer.sign(claims(), { alg: 'HS256' }, Buffer.from(issuer.publicKeyText)),
    'with algorithm none': () => `${segment({ alg: 'none', kid: 'key-1', typ: 'JWT' })}.${segment(claims())}.`,
    'with algorithm None': () => `${segment({ alg: 'None', kid: 'key-1' })}.${segment(claims())}.`,
    'without its signature': async () => (await issuer.sign(claims())).replace(/[^.]*$/, ''),
    'with other claims under its signature': async () => {
      const [head, , signature] = (await issuer.sign(claims())).split('.')
      return `${head}.${segment(claims({ realm: { roles: ['admin'] } }))}.${signature}`
    },
    'with a part too many': async () => `${await issuer.sign(claims())}.x`,
    'that is not even JSON': () => 'aaaa.bbbb.cccc',
    'that is far too long': async () => issuer.sign(claims({ pad: 'x'.repeat(10_000) })),
  }

  it.each(Object.entries(forged))('%s is refused like any other', async (_, make) => {
    const { status, body } = await who(await make())
    expect([status, body.code]).toEqual([401, 'UNAUTHENTICATED'])
    expect(body.detail).not.toMatch(/signature|audience|issuer|expired/i)
  })

  it('that cannot be one does not become a request for keys', async () => {
    const before = issuer.keyRequests()
    for (let each = 0; each < 5; each++) await who(await issuer.sign(claims(), { alg: 'HS256' }, Buffer.alloc(32, 1)))
    expect(issuer.keyRequests()).toBe(before)
  })

  it('cannot be checked while the issuer is away: that is told as it is, and a key still works', async () => {
    const other = await openIssuer()
    const oidc = { issuer: other.url, audience: AUDIENCE }
    await using apart = await openSecuredApi({ auth: 'oidc', oidc })
    const token = await other.sign({ ...claims(), iss: other.url, roles: ['viewer'] })
    const ask = () => apart.send({ path: '/session', as: token })
    other.down(true)
    const { status, body, headers } = await ask()
    expect([status, body.code, headers['retry-after']]).toEqual([503, 'ISSUER_UNREACHABLE', '1'])
    expect(body.detail).not.toContain('127.0.0.1')
    expect((await apart.send({ path: '/session', as: BOOTSTRAP_KEY })).status).toBe(200)
    other.down(false)
    expect((await ask()).body).toMatchObject({ role: 'viewer', tenant: 'default' })
    other.close()
  })
})
