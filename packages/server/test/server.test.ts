import { connect } from 'node:net'
import { silentLogger } from '@lockstep/base'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { openHttpServer } from '../src/index.ts'
import type { ErrorCode } from '../src/problem/error-code.ts'
import { errorStatus } from '../src/problem/error-status.ts'
import { problemType } from '../src/problem/to-problem.ts'
import { approval } from './documents.ts'
import { openTestApi, type TestApi } from './open-test-api.ts'

let api: TestApi | undefined
afterEach(async () => {
  await api?.close()
  api = undefined
})

const health = { started: () => true, ready: async () => [{ name: 'database', ok: true }] }

async function openServer(basePath = '') {
  api = await openTestApi()
  const server = await openHttpServer({
    host: '127.0.0.1',
    port: 0,
    basePath,
    health,
    engine: api.engine,
    ...api.ports,
    logger: silentLogger,
  })
  return { api, server }
}

/** What comes back for bytes that no client library would send. */
function exchange(url: string, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes))
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
  })
}

describe('the server', () => {
  it('serves everything behind its base path, and says so in what it answers', async () => {
    const { server } = await openServer('/flow')
    expect(server.url).toMatch(/\/flow$/)
    expect((await fetch(`${server.url}/health/ready`)).status).toBe(200)
    const body = JSON.stringify(approval('based'))
    const created = await fetch(`${server.url}/api/v1/workflow-definitions`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    expect([created.status, created.headers.get('location')]).toEqual([201, '/flow/api/v1/workflow-definitions/based'])
    const description = (await (await fetch(`${server.url}/api/v1/openapi.json`)).json()) as { servers: unknown }
    expect(description.servers).toEqual([{ url: '/flow/api/v1' }])
    expect((await fetch(new URL('/api/v1/workflow-definitions', server.url))).status).toBe(404)
    await server.close()
  })

  it('answers with a problem to bytes that are no HTTP, and to headers without end', async () => {
    const { server } = await openServer()
    const garbage = await exchange(server.url, 'HELLO THERE\r\n\r\n')
    expect(garbage).toMatch(/^HTTP\/1\.1 400 .*application\/problem\+json.*"code":"BAD_REQUEST"/s)
    const endless = await exchange(server.url, `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`)
    expect(endless).toMatch(/^HTTP\/1\.1 431 .*"code":"HEADERS_TOO_LARGE"/s)
    await server.close()
  })

  it('lets those that wait have what there is when it closes', async () => {
    const { api, server } = await openServer()
    await api.call('PUT', '/workflow-definitions/waits', { body: approval('waits') })
    const { id } = (await api.call('POST', '/workflow-instances', { body: { definitionId: 'waits' } })).body
    await expect.poll(async () => (await api.call('GET', `/workflow-instances/${id}`)).body.status).toBe('suspended')
    const asked = vi.spyOn(api.engine, 'waitForLast')
    const waiting = fetch(`${server.url}/api/v1/workflow-instances/${id}?wait=60s`)
    await vi.waitFor(() => expect(asked).toHaveBeenCalled())
    await server.close()
    expect(((await (await waiting).json()) as { status: string }).status).toBe('suspended')
  })

  it('names the address when the port is taken', async () => {
    const { api, server } = await openServer()
    const port = Number(new URL(server.url).port)
    const second = openHttpServer({
      host: '127.0.0.1',
      port,
      basePath: '',
      health,
      engine: api.engine,
      ...api.ports,
      logger: silentLogger,
    })
    await expect(second).rejects.toMatchObject({ code: 'PORT_IN_USE', details: { port } })
    await server.close()
  })

  it('keeps faults of its own to the log', async () => {
    const broken = await openTestApi()
    await broken.db.close()
    const { status, body, headers } = await broken.call('GET', '/workflow-definitions')
    expect([status, body.code, headers['retry-after']]).toEqual([503, 'DATABASE_CLOSED', '1'])
    expect(JSON.stringify(body)).not.toMatch(/definition_list|stack/)

    vi.spyOn(broken.ports.browse, 'definitions').mockRejectedValue(new TypeError('secret of the house'))
    const failed = await broken.call('GET', '/workflow-definitions')
    expect([failed.status, failed.body.code]).toEqual([500, 'INTERNAL'])
    expect(JSON.stringify(failed.body)).not.toMatch(/secret|TypeError|\.ts/)
    expect(broken.failures).toMatchObject([{ message: 'request failed', fields: { reason: 'secret of the house' } }])
    await broken.app.close()
    await broken.engine.close(0).catch(() => undefined) // it cannot say goodbye either
  })

  it('describes each type of problem on a page of its own', async () => {
    api = await openTestApi()
    const pages = new Set<string>()
    for (const [code, status] of Object.entries(errorStatus)) {
      const page = await api.app.inject({ url: problemType(code as ErrorCode) })
      expect([code, page.statusCode, page.headers['content-type']]).toEqual([code, 200, 'text/html; charset=utf-8'])
      expect(page.body).toContain(`<code>${code}</code>, HTTP status ${status}`)
      expect([code, /<h1>.{5,}<\/h1>\n<p>.{10,}<\/p>/.test(page.body)]).toEqual([code, true])
      pages.add(page.body)
    }
    expect(pages.size).toBe(Object.keys(errorStatus).length)
    expect((await api.app.inject({ url: '/problems/%3Cscript%3E' })).statusCode).toBe(404)
  })
})
