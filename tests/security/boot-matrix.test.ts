import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { errorCode, errorMessage } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { resolveNodeOptions } from '../../packages/lockstep/src/options/node-options.ts'
import { readEnvironment } from '../../packages/lockstep/src/options/read-environment.ts'
import { requireSafeStart } from '../../packages/lockstep/src/options/require-safe-start.ts'

const SECRET = 'a5b9c1d7e3f02468a5b9c1d7e3f02468'
const DATABASE = 'postgres://nobody@127.0.0.1:1/nothing'

const boot = (environment: Record<string, string>): { auth: string } | { code: string | undefined; text: string } => {
  try {
    const options = resolveNodeOptions(readEnvironment(environment))
    requireSafeStart(options)
    return { auth: options.access.auth }
  } catch (error) {
    return { code: errorCode(error), text: errorMessage(error) }
  }
}

const loopback = ['127.0.0.1', '127.8.4.2', '::1', 'localhost']
const open = ['0.0.0.0', '::', '192.168.1.10', 'workflows.example.org']
const oidc = { LOCKSTEP_OIDC_ISSUER: 'https://login.example.org', LOCKSTEP_OIDC_AUDIENCE: 'lockstep' }

/** host × auth × secret × cluster. Whether there is a cluster changes nothing: what is unsafe alone is unsafe together. */
const cases = [...loopback, ...open].flatMap((host) =>
  [undefined, 'none', 'keys', 'oidc'].flatMap((auth) =>
    [false, true].flatMap((secret) => [false, true].map((cluster) => ({ host, auth, secret, cluster }))),
  ),
)

describe('the boot', () => {
  it.each(cases)('on $host with auth $auth, secret $secret, cluster $cluster', ({ host, auth, secret, cluster }) => {
    const answer = boot({
      LOCKSTEP_HOST: host,
      ...(auth === undefined ? {} : { LOCKSTEP_AUTH: auth }),
      ...(auth === 'oidc' ? oidc : {}),
      ...(secret ? { LOCKSTEP_SECRET: SECRET } : {}),
      ...(cluster ? { LOCKSTEP_DATABASE_URL: DATABASE } : {}),
    })
    const isOpen = open.includes(host)
    if (isOpen && auth === 'none')
      expect(answer).toEqual({ code: 'UNSAFE_START', text: expect.stringMatching(/LOCKSTEP_AUTH=keys.*127\.0\.0\.1/) })
    else if (isOpen && !secret)
      expect(answer).toEqual({ code: 'UNSAFE_START', text: expect.stringMatching(/Set LOCKSTEP_SECRET.*every node/) })
    else expect(answer).toEqual({ auth: auth ?? (isOpen ? 'keys' : 'none') })
  })

  it.each([
    ['a short key', { LOCKSTEP_API_KEY: 'short' }, /apiKey.*32 or more random/],
    ['a key of zeros', { LOCKSTEP_API_KEY: '0'.repeat(64) }, /apiKey.*32 or more random/],
    ['a key with blanks', { LOCKSTEP_API_KEY: `${SECRET} ${SECRET}` }, /apiKey.*without blanks/],
    ['a short secret', { LOCKSTEP_SECRET: SECRET.slice(1) }, /secret.*32 or more random/],
    ['an unknown mode', { LOCKSTEP_AUTH: 'maybe' }, /one of none, keys, oidc/],
    ['oidc without an issuer', { LOCKSTEP_AUTH: 'oidc', LOCKSTEP_OIDC_AUDIENCE: 'x' }, /oidcIssuer/],
    ['oidc without an audience', { LOCKSTEP_AUTH: 'oidc', LOCKSTEP_OIDC_ISSUER: 'https://a.example' }, /oidcAudience/],
    ['any origin', { LOCKSTEP_CORS_ORIGINS: '*' }, /corsOrigins.*without \*/],
    ['an origin with a path', { LOCKSTEP_CORS_ORIGINS: 'https://a.example/x' }, /corsOrigins/],
    ['every proxy', { LOCKSTEP_TRUST_PROXY: 'true' }, /trustProxy.*networks such as 10\.0\.0\.0\/8/],
    ['a public address that is none', { LOCKSTEP_PUBLIC_URL: 'workflows' }, /publicUrl.*https:\/\//],
  ])('refuses %s', (_, environment, message) => {
    const answer = boot(environment)
    expect(answer).toEqual({ code: 'INVALID_OPTION', text: expect.stringMatching(message) })
    for (const name of ['LOCKSTEP_API_KEY', 'LOCKSTEP_SECRET'] as const) {
      const given = (environment as Record<string, string>)[name]
      if (given !== undefined) expect(JSON.stringify(answer)).not.toContain(given)
    }
  })

  const publicUrls = ['https://flows.example.org', 'http://10.0.0.7:4400', 'http://127.0.0.1:4400', 'http://[::1]:4400']
  const reached = [undefined, 'none', 'keys', 'oidc'].flatMap((auth) =>
    [undefined, ...publicUrls].flatMap((url) => [false, true].map((proxy) => ({ auth, url, proxy }))),
  )
  it.each(reached)('on loopback with auth $auth, reached by $url, through a proxy: $proxy', ({ auth, url, proxy }) => {
    const answer = boot({
      ...(auth === undefined ? {} : { LOCKSTEP_AUTH: auth }),
      ...(auth === 'oidc' ? oidc : {}),
      ...(url === undefined ? {} : { LOCKSTEP_PUBLIC_URL: url }),
      ...(proxy ? { LOCKSTEP_TRUST_PROXY: '10.0.0.0/8' } : {}),
    })
    const isPublic = url !== undefined && publicUrls.indexOf(url) < 2
    if (auth === 'keys' || auth === 'oidc') expect(answer).toEqual({ auth })
    else if (isPublic)
      expect(answer).toEqual({
        code: 'UNSAFE_START',
        text: expect.stringMatching(/Set LOCKSTEP_AUTH=keys.*PUBLIC_URL/),
      })
    else if (proxy)
      expect(answer).toEqual({
        code: 'UNSAFE_START',
        text: expect.stringMatching(/Set LOCKSTEP_AUTH=keys.*TRUST_PROXY/),
      })
    else expect(answer).toEqual({ auth: 'none' })
  })

  it.each([
    ['https asked for and not there', { LOCKSTEP_REQUIRE_HTTPS: 'on', LOCKSTEP_PUBLIC_URL: 'http://a.example' }],
    ['https asked for and no address', { LOCKSTEP_REQUIRE_HTTPS: 'on' }],
    ['an issuer over http', { LOCKSTEP_AUTH: 'oidc', ...oidc, LOCKSTEP_OIDC_ISSUER: 'http://login.example.org' }],
  ])('refuses %s, with the fix', (_, environment) => {
    expect(boot(environment)).toEqual({ code: 'UNSAFE_START', text: expect.stringMatching(/Set LOCKSTEP_/) })
  })

  it('reads every secret from a file too', () => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'lockstep-secret-')), 'secret')
    writeFileSync(file, `${SECRET}\n`)
    const { access } = resolveNodeOptions(
      readEnvironment({ LOCKSTEP_SECRET_FILE: file, LOCKSTEP_API_KEY_FILE: file, LOCKSTEP_HOST: '0.0.0.0' }),
    )
    expect([access.secret, access.apiKey]).toEqual([SECRET, SECRET])
  })
})
