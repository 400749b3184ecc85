import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { systemClock } from '@lockstep/base'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HostAddress } from './guard-address.ts'
import { type HttpRequest, httpClient } from './http-client.ts'
import { nextHop } from './redirect.ts'

let server: Server
let origin: string
let seen: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[]
let answer: (request: IncomingMessage, response: ServerResponse) => void

beforeEach(async () => {
  seen = []
  answer = (_, response) => response.end('ok')
  server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
      answer(request, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

const client = (allow: readonly string[] = ['127.0.0.0/8'], resolveHost?: (host: string) => Promise<HostAddress[]>) =>
  httpClient({ clock: systemClock, allow, ...(resolveHost && { resolveHost }) })
const request = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'GET',
  url: new URL(url),
  headers: {},
  body: undefined,
  maxBytes: 1_000,
  timeoutMs: 10_000,
  followRedirects: true,
  sensitive: [],
  shownUrl: url,
  signal: new AbortController().signal,
  ...more,
})
const at = (address: string): HostAddress => ({ address, family: address.includes(':') ? 6 : 4 })
const port = () => new URL(origin).port

describe('the way out over HTTP', () => {
  it('sends what it was given and reads the answer', async () => {
    answer = (_, response) => response.writeHead(418, { 'x-kind': 'pot' }).end('short and stout')
    const sent = request(`${origin}/tea?milk=no`, {
      method: 'POST',
      headers: { 'x-a': '1' },
      body: Buffer.from('leaf'),
    })
    const { status, headers, body } = await client().send(sent)
    expect([status, headers['x-kind'], Buffer.from(body).toString()]).toEqual([418, 'pot', 'short and stout'])
    expect(seen).toMatchObject([{ method: 'POST', url: '/tea?milk=no', body: 'leaf' }])
    expect(seen[0]!.headers).toMatchObject({ 'x-a': '1', 'content-length': '4' })
  })

  it.each([
    ['http://127.0.0.1:9/'],
    ['http://2130706433/'],
    ['http://0x7f.1/'],
    ['http://017700000001/'],
    ['http://[::1]/'],
    ['http://[::ffff:127.0.0.1]/'],
    ['http://169.254.169.254/latest/meta-data'],
    ['http://10.0.0.1/'],
    ['http://0.0.0.0/'],
    ['ftp://example.org/'],
    ['file:///etc/passwd'],
    ['http://user:pass@example.org/'],
  ])('refuses %s', async (url) => {
    await expect(client([]).send(request(url))).rejects.toMatchObject({ code: 'OUTBOUND_BLOCKED' })
    expect(seen).toEqual([])
  })

  it('refuses a name that leads to a private address, also when another of its addresses is public', async () => {
    const names = async () => [at('93.184.216.34'), at('127.0.0.1')]
    await expect(client([], names).send(request('http://two-faced.example/'))).rejects.toMatchObject({
      code: 'OUTBOUND_BLOCKED',
      details: { host: 'two-faced.example' },
    })
  })

  it('connects to what it has checked, though the name leads elsewhere a moment later', async () => {
    const asked: string[] = []
    const rebinding = async (host: string) => {
      asked.push(host)
      return asked.length === 1 ? [at('127.0.0.1')] : [at('169.254.169.254')]
    }
    const { status } = await client(['rebind.example'], rebinding).send(request(`http://rebind.example:${port()}/`))
    expect([status, asked]).toEqual([200, ['rebind.example']])
  })

  it('checks each redirect, and keeps credentials with their origin', async () => {
    const names = async (host: string) => [at(host === 'inside.example' ? '10.0.0.7' : '127.0.0.1')]
    answer = ({ url }, response) => {
      if (url === '/inside') response.writeHead(302, { location: 'http://inside.example/' }).end()
      else if (url === '/file') response.writeHead(302, { location: 'file:///etc/passwd' }).end()
      else if (url === '/other') response.writeHead(307, { location: `http://b.example:${port()}/end` }).end()
      else response.end('end')
    }
    const out = client(['a.example', 'b.example'], names)
    const from = (path: string) =>
      request(`http://a.example:${port()}${path}`, {
        method: 'DELETE',
        headers: {
          ...{ authorization: 'Bearer x', cookie: 'c=1', 'proxy-authorization': 'Basic x' },
          ...{ 'x-key': 'y', 'x-plain': 'z', 'idempotency-key': 'k' },
        },
        sensitive: ['x-key'],
      })
    await expect(out.send(from('/inside'))).rejects.toMatchObject({ code: 'OUTBOUND_BLOCKED' })
    await expect(out.send(from('/file'))).rejects.toMatchObject({ code: 'OUTBOUND_BLOCKED' })
    await out.send(from('/other'))
    const last = seen.at(-1)!
    expect(last).toMatchObject({ method: 'DELETE', url: '/end', body: '' })
    expect(last.headers).toMatchObject({ 'x-plain': 'z' })
    for (const name of ['authorization', 'cookie', 'proxy-authorization', 'x-key', 'idempotency-key'])
      expect(last.headers).not.toHaveProperty(name)
  })

  it.each([
    [307, 'POST'],
    [308, 'POST'],
    [307, 'PUT'],
    [301, 'PUT'],
    [302, 'PATCH'],
  ])('does not take a body to another host by %i after %s', async (status, method) => {
    const names = async () => [at('127.0.0.1')]
    answer = ({ url }, response) =>
      url === '/from' ? response.writeHead(status, { location: `http://b.example:${port()}/to` }).end() : response.end()
    const sent = request(`http://a.example:${port()}/from`, { method, body: Buffer.from('secret?') })
    const refused = await client(['a.example', 'b.example'], names)
      .send(sent)
      .catch((error) => error)
    expect(refused).toMatchObject({
      code: 'HTTP_REDIRECT_REFUSED',
      retryable: false,
      details: { from: `http://a.example:${port()}`, to: `http://b.example:${port()}` },
    })
    expect(refused.message).toMatch(/a\.example.* sends the request on to .*b\.example.*"followRedirects" to false/)
    expect(seen).toHaveLength(1)
    const kept = await client(['a.example', 'b.example'], names).send({ ...sent, followRedirects: false })
    expect(kept.status).toBe(status)
  })

  it('does not take a body to another port of the same host, nor past a hop in between', async () => {
    answer = ({ url }, response) =>
      url === '/port'
        ? response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end()
        : url === '/first'
          ? response.writeHead(307, { location: '/port' }).end()
          : response.end()
    const body = Buffer.from('secret?')
    for (const path of ['/port', '/first'])
      await expect(client().send(request(`${origin}${path}`, { method: 'POST', body }))).rejects.toMatchObject({
        code: 'HTTP_REDIRECT_REFUSED',
        details: { from: origin, to: 'http://127.0.0.1:9' },
      })
    answer = ({ url }, response) =>
      url === '/here' ? response.writeHead(308, { location: '/there' }).end() : response.end()
    await client().send(request(`${origin}/here`, { method: 'POST', body }))
    expect(seen.at(-1)).toMatchObject({ method: 'POST', url: '/there', body: 'secret?' })
  })

  it('does not leave a safe way for an open one', () => {
    const hop = { method: 'GET', url: new URL('https://a.example/'), headers: {}, body: undefined }
    expect(() => nextHop(hop, 302, 'http://a.example/', [])).toThrow(
      /https:\/\/a\.example sends the request on to http:\/\/a\.example, where everybody on the way could read it/,
    )
    expect(nextHop(hop, 302, 'https://b.example/', [])?.url.href).toBe('https://b.example/')
    expect(nextHop({ ...hop, url: new URL('http://a.example/') }, 302, 'https://a.example/', [])?.method).toBe('GET')
  })

  it('turns a POST into a GET where the status says so, and ends a circle', async () => {
    answer = ({ url }, response) =>
      url === '/see' ? response.writeHead(303, { location: '/there' }).end() : response.end()
    await client().send(request(`${origin}/see`, { method: 'POST', body: Buffer.from('x') }))
    expect(seen.at(-1)).toMatchObject({ method: 'GET', url: '/there', body: '' })

    answer = (_, response) => response.writeHead(302, { location: '/round' }).end()
    await expect(client().send(request(`${origin}/round`))).rejects.toMatchObject({ code: 'HTTP_TOO_MANY_REDIRECTS' })
    const { status } = await client().send(request(`${origin}/round`, { followRedirects: false }))
    expect(status).toBe(302)
  })

  it('stops reading where the limit is, whatever the headers say and however small it was packed', async () => {
    const tooLarge = { code: 'HTTP_RESPONSE_TOO_LARGE' }
    answer = (_, response) => {
      const timer = setInterval(() => response.write('x'.repeat(400)), 1)
      response.on('close', () => clearInterval(timer))
    }
    await expect(client().send(request(origin))).rejects.toMatchObject(tooLarge)
    answer = (_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(1_000_000)))
    await expect(client().send(request(origin))).rejects.toMatchObject(tooLarge)
    answer = (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('packed'))
    expect(Buffer.from((await client().send(request(origin))).body).toString()).toBe('packed')
  })

  it('says why there was no answer, without the query', async () => {
    answer = (_, response) => response.destroy()
    const failed = await client()
      .send(request(`${origin}/x?token=1`, { shownUrl: `${origin}/x` }))
      .catch((error) => error)
    expect(failed).toMatchObject({ code: 'HTTP_FAILED', retryable: true })
    expect(failed.message).not.toContain('token')
    const nobody = async () => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
    }
    await expect(client([], nobody).send(request('http://nowhere.example/'))).rejects.toMatchObject({
      code: 'HTTP_FAILED',
    })
  })

  it('gives up when it is told to, or when the time is over, also in the middle of an answer', async () => {
    answer = (_, response) => void response.write('begun')
    const abort = new AbortController()
    const reason = new Error('no longer wanted')
    const gone = new Promise<void>((resolve) => {
      server.once('connection', (socket) => socket.once('close', () => resolve()))
    })
    const sending = client().send(request(origin, { signal: abort.signal }))
    server.once('request', () => setImmediate(() => abort.abort(reason)))
    await expect(sending).rejects.toBe(reason)
    await gone
    await expect(client().send(request(origin, { timeoutMs: 30 }))).rejects.toMatchObject({ code: 'TIMED_OUT' })
    const stuck = () => new Promise<HostAddress[]>(() => {})
    await expect(client([], stuck).send(request('http://slow.example', { timeoutMs: 30 }))).rejects.toMatchObject({
      code: 'TIMED_OUT',
    })
  })
})
