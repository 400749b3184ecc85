import { connect } from 'node:net'
import { silentLogger } from '@lockstep/base'
import { openHttpServer } from '@lockstep/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BOOTSTRAP_KEY, openSecuredApi, type SecuredApi, sendTo } from './open-secured-api.ts'

const FRIEND = 'https://app.example.org'
let closed: SecuredApi
let open: SecuredApi
beforeAll(async () => {
  closed = await openSecuredApi({ corsOrigins: [FRIEND] })
  open = await openSecuredApi({ auth: 'none', publicUrl: 'http://workflows.example.org' })
})
afterAll(async () => {
  await closed[Symbol.asyncDispose]()
  await open[Symbol.asyncDispose]()
})

describe('every answer', () => {
  it.each([
    '/api/v1/workflow-instances',
    '/api/v1/nonsense',
    '/api/v1/openapi.json',
    '/health/live',
    '/problems/forbidden',
  ])('of %s runs nothing, frames nothing and guesses nothing', async (url) => {
    const { headers } = await closed.app.inject({ url })
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'/)
    expect(headers['content-security-policy']).toMatch(/frame-ancestors 'none'; base-uri 'none'; form-action 'none'/)
    expect(headers['content-security-policy']).not.toMatch(/unsafe/)
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['referrer-policy']).toBe('no-referrer')
    expect([headers['x-powered-by'], headers.server, headers['access-control-allow-origin']]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe('what somebody was told', () => {
  it.each([
    '/session',
    '/workflow-instances',
    '/api-keys',
    '/users',
    '/audit-log',
    '/secrets',
    '/workflow-instances/counts',
  ])('of %s is kept by nobody on the way', async (path) => {
    const { status, headers } = await closed.send({ path, as: BOOTSTRAP_KEY })
    expect([status, headers['cache-control']]).toEqual([200, 'no-store'])
  })

  it('with an ETag is kept by nobody but who asked, and asked for again each time', async () => {
    const document = { id: 'kept', activities: [{ id: 'a', type: 'log', inputs: { message: 'a' } }] }
    await closed.send({ method: 'PUT', path: '/workflow-definitions/kept', as: BOOTSTRAP_KEY, body: document })
    const { headers } = await closed.send({ path: '/workflow-definitions/kept/draft', as: BOOTSTRAP_KEY })
    expect([headers.etag, headers['cache-control']]).toEqual([expect.any(String), 'private, no-cache'])
  })
})

describe('pages of other origins', () => {
  const preflight = (origin: string) =>
    closed.app.inject({
      method: 'OPTIONS',
      url: '/api/v1/events',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    })

  it('may use the API when they were named, and are told so', async () => {
    const { headers, statusCode } = await preflight(FRIEND)
    expect([statusCode, headers['access-control-allow-origin']]).toEqual([204, FRIEND])
    const answer = await closed.send({ path: '/session', as: BOOTSTRAP_KEY, headers: { origin: FRIEND } })
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, FRIEND])
  })

  it.each(['https://evil.example', 'https://app.example.org.evil.example', 'http://app.example.org', 'null'])(
    'are told nothing: %s',
    async (origin) => {
      const { headers } = await preflight(origin)
      expect(headers['access-control-allow-origin']).toBeUndefined()
    },
  )
})

describe('a server that asks nobody', () => {
  const event = { method: 'POST', path: '/events', body: { name: 'e' } } as const

  it('does not record who came by, but what they did', async () => {
    expect((await open.send(event)).status).toBe(202)
    expect((await open.send({ path: '/session' })).body).toMatchObject({ kind: 'anonymous', role: 'admin' })
  })

  it.each([
    ['a name that leads to loopback', { host: 'rebind.evil.example:4400' }],
    ['a page of another site', { origin: 'https://evil.example' }],
    ['a picture on another site', { 'sec-fetch-site': 'cross-site' }],
  ])('turns away %s', async (_, headers) => {
    const answer = await sendTo(open.app, { ...event, headers })
    expect([answer.status, answer.body.code]).toEqual([403, 'CROSS_SITE_REQUEST'])
  })

  it('does not let a foreign name read either', async () => {
    const answer = await open.send({ path: '/workflow-instances', headers: { host: 'rebind.evil.example' } })
    expect(answer.body.code).toBe('CROSS_SITE_REQUEST')
  })

  it.each(['127.0.0.1:4400', 'localhost:4400', '[::1]:4400', 'workflows.example.org'])(
    'is there as %s',
    async (host) => {
      expect((await open.send({ path: '/workflow-instances', headers: { host } })).status).toBe(200)
    },
  )

  it('cannot be opened to others by leaving something out', async () => {
    const options = { ...({} as Parameters<typeof openHttpServer>[0]), host: '0.0.0.0', port: 0, logger: silentLogger }
    await expect(openHttpServer(options)).rejects.toMatchObject({ code: 'UNSAFE_START' })
  })
})

describe('a socket', () => {
  it('that speaks no HTTP gets a problem and is closed', async () => {
    await open.app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = open.app.server.address() as { port: number }
    for (const bytes of [
      '\u0016\u0003\u0001\u0002',
      'GET / HTTP/1.1\r\nbad header\r\n\r\n',
      `GET /${'a'.repeat(70_000)} HTTP/1.1\r\n\r\n`,
    ]) {
      const text = await new Promise<string>((resolve, reject) => {
        let got = ''
        const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'))
        socket.on('data', (chunk) => (got += String(chunk)))
        socket.on('close', () => resolve(got))
        socket.on('error', reject)
      })
      expect(text).toMatch(/^HTTP\/1\.1 4\d\d /)
      expect(text).toContain('application/problem+json')
    }
    expect(open.app.server.headersTimeout).toBe(20_000)
  })
})
