import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { deferred, systemClock } from '@lockstep/base'
import { afterEach, describe, expect, it } from 'vitest'
import { type Front, openFront } from './front.ts'

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void

const servers: Server[] = []
let front: Front | undefined
afterEach(async () => {
  await front?.close()
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** Something that answers as a node might. Ready, unless it is told otherwise. */
async function node(answer: Answer, ready = true): Promise<string> {
  const server = createServer((incoming, response) => {
    if (incoming.url === '/health/ready') return void response.writeHead(ready ? 200 : 503).end()
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => answer(incoming, response, Buffer.concat(chunks).toString()))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const says =
  (name: string): Answer =>
  (incoming, response, body) =>
    void response
      .setHeader('x-node', name)
      .end(JSON.stringify({ name, path: incoming.url, method: incoming.method, body }))
/** As a process that was stopped: it takes what comes and says nothing. `taken` has what it took. */
const frozen = async (taken: IncomingMessage[] = []): Promise<string> => {
  const server = createServer((incoming) => void (incoming.url === '/health/ready' || taken.push(incoming)))
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const shuttingDown: Answer = (_, response) =>
  void response.writeHead(503, { 'content-type': 'application/problem+json' }).end('{"code":"SHUTTING_DOWN"}')
const hangsUp: Answer = (_, response) => void response.destroy()

const before = async (...nodes: string[]): Promise<string> => {
  front = await openFront({ host: '127.0.0.1', port: 0, nodes: () => nodes, clock: systemClock })
  return front.url
}
const nameFrom = async (url: string, init?: RequestInit): Promise<string> => {
  const response = await fetch(url, init)
  return response.ok ? (await response.json()).name : `${response.status} ${(await response.json()).code}`
}
const GONE = 'http://127.0.0.1:1'
const post = (key?: string): RequestInit => ({
  method: 'POST',
  body: 'x',
  ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
})

describe('the front', () => {
  it('gives each request to the next node, as it came', async () => {
    const url = await before(await node(says('a')), await node(says('b')), await node(says('c')))
    // On a busy machine a node may count as not ready for a moment.
    await expect
      .poll(async () => {
        const names = [await nameFrom(url), await nameFrom(url), await nameFrom(url), await nameFrom(url)]
        return [new Set(names).size, names[3] === names[0]]
      })
      .toEqual([3, true])
    const response = await fetch(`${url}/some/path?x=1`, { method: 'PUT', body: 'what was sent' })
    expect(await response.json()).toMatchObject({ method: 'PUT', path: '/some/path?x=1', body: 'what was sent' })
    expect(response.headers.get('x-node')).toMatch(/^[abc]$/)
  })

  it('sends on what a node did not take: a refused connection, a node that shuts down', async () => {
    const url = await before(GONE, await node(shuttingDown), await node(says('c')))
    for (let each = 0; each < 6; each++) expect(await nameFrom(url, post())).toBe('c')
  })

  it('repeats what may have been carried out only where that is harmless', async () => {
    const url = await before(await node(hangsUp), await node(hangsUp), await node(says('c')))
    await expect
      .poll(async () => [await nameFrom(url, post()), await nameFrom(url, post()), await nameFrom(url, post())].sort())
      .toEqual(['502 NODE_LOST', '502 NODE_LOST', 'c'])
    for (let each = 0; each < 3; each++) expect(await nameFrom(url, post('key'))).toBe('c')
    for (let each = 0; each < 3; each++) expect(await nameFrom(url)).toBe('c')
  })

  it('leaves nodes alone that are not ready, while there are others', async () => {
    const url = await before(await node(says('not ready'), false), await node(says('b')))
    await expect.poll(async () => new Set([await nameFrom(url), await nameFrom(url)])).toEqual(new Set(['b']))
  })

  it('takes back from a frozen node what is harmless to repeat, and leaves it the rest', async () => {
    const taken: IncomingMessage[] = []
    const url = await before(await node(says('b')), await node(says('c')), await frozen(taken))
    const three = (init?: RequestInit) => [nameFrom(url, init), nameFrom(url, init), nameFrom(url, init)]
    const gaveUp = new AbortController()
    const once = three({ ...post(), signal: gaveUp.signal }).map((each) => each.catch(() => 'still waiting'))
    // One of each three goes to the frozen one, which nobody has found out about yet.
    const names = await Promise.all([...three(), ...three(post('key'))])
    expect(new Set(names)).toEqual(new Set(['b', 'c']))
    gaveUp.abort()
    const waiting = (await Promise.all(once)).filter((each) => each === 'still waiting')
    const isOnce = ({ method, headers }: IncomingMessage) => method === 'POST' && !('idempotency-key' in headers)
    expect(waiting).toHaveLength(taken.filter(isOnce).length)
  })

  it('waits for the answer when a node that was only slow is still at what was taken back from it', async () => {
    let isDone = false
    const slow = await frozen()
    const atIt: Answer = (_, response) =>
      void (isDone ? response.end('{"name":"b"}') : response.writeHead(409).end('{"code":"IDEMPOTENCY_IN_PROGRESS"}'))
    const url = await before(slow, await node(atIt))
    const asked = [nameFrom(url, post('key')), nameFrom(url, post('key'))]
    // Whoever was not sent on from the slow one asks for himself whether to come again.
    const first = await Promise.race(asked)
    expect(first).toBe('409 IDEMPOTENCY_IN_PROGRESS')
    isDone = true
    expect((await Promise.all(asked)).sort()).toEqual(['409 IDEMPOTENCY_IN_PROGRESS', 'b'])
  })

  it('waits for frozen nodes when there are no others', async () => {
    const url = await before(await frozen(), await frozen())
    const gaveUp = new AbortController()
    const asked = nameFrom(url, { signal: gaveUp.signal }).catch(() => 'still waiting')
    await new Promise((resolve) => systemClock.schedule(2_500, () => resolve(undefined)))
    gaveUp.abort()
    expect(await asked).toBe('still waiting')
  })

  it('says so when no node takes requests', async () => {
    expect(await nameFrom(await before(GONE))).toBe('503 NO_NODE_ANSWERS')
    await front?.close()
    expect(await nameFrom(await before())).toBe('503 NO_NODE_ANSWERS')
  })

  it('passes an answer on while it comes, and the end of a caller too', async () => {
    const upstream = deferred<ServerResponse>()
    const left = deferred<void>()
    const url = await before(
      await node((_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write('data: first\n\n')
        response.once('close', () => left.resolve())
        upstream.resolve(response)
      }),
    )
    const asking = request(url).end()
    const answer = await new Promise<IncomingMessage>((resolve) => asking.once('response', resolve))
    const chunks = answer.setEncoding('utf8')[Symbol.asyncIterator]()
    expect((await chunks.next()).value).toBe('data: first\n\n')
    const sender = await upstream.promise
    sender.write('data: second\n\n')
    expect((await chunks.next()).value).toBe('data: second\n\n')
    asking.destroy()
    await left.promise
  })

  it('refuses a port that is taken', async () => {
    const url = await before(await node(says('a')))
    const port = Number(new URL(url).port)
    await expect(openFront({ host: '127.0.0.1', port, nodes: () => [], clock: systemClock })).rejects.toMatchObject({
      code: 'PORT_IN_USE',
    })
  })
})
