import { createServer, type RequestListener, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { afterEach, describe, expect, it } from 'vitest'
import { type CliOptions, runIn } from './open-cli.ts'

/** The command line before servers that are no node, or that do not let it in. */
const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  servers.push(server)
  await new Promise((resolve) => server.once('listening', resolve))
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

const run = (url: string, words: readonly string[], options?: CliOptions) =>
  runIn(tmpdir(), { LOCKSTEP_URL: url }, words, options)

const json =
  (body: unknown, status = 200): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

describe('before a server that is no node', () => {
  it('follows no redirect, which would make a GET of a POST, and says where to go', async () => {
    const asked: (string | undefined)[] = []
    const there = await serving((request, response) => {
      asked.push(request.method)
      json({ started: 1, waiting: 0, skipped: 0 })(request, response)
    })
    const url = await serving((request, response) =>
      response.writeHead(302, { location: `${there}/flow${request.url}` }).end(),
    )
    const ran = await run(url, ['schedules', 'run-due'])
    expect([ran.code, ran.out, asked]).toEqual([7, '', []])
    expect(ran.err).toContain(`it redirects to ${there}/flow: use that address`)
  })

  it.each([
    ['JSON of another shape', json({ hello: 'world' })],
    ['a list of something else', json([1, 2])],
    ['nothing', ((_, response) => response.writeHead(200).end()) as RequestListener],
    [
      'nothing, and calls it JSON',
      ((_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end()) as RequestListener,
    ],
    ['a problem of another shape', json({ code: 'nope', message: 'no' }, 404)],
  ])('tells one that answers %s', async (_, listener) => {
    const url = await serving(listener)
    for (const words of [
      ['nodes', 'list'],
      ['instances', 'get', 'wfi_1'],
      ['events', 'publish', 'go'],
      ['auth', 'status'],
    ]) {
      const ran = await run(url, words)
      expect([words, ran.code, ran.out]).toEqual([words, 7, ''])
      expect(ran.err).toContain('what answers is not Lockstep')
    }
  })

  it('takes a node for one though a proxy has taken its request ids away', async () => {
    const url = await serving((request, response) =>
      json(request.url?.endsWith('/session') ? { permissions: [] } : { items: [], page: { next: null } })(
        request,
        response,
      ),
    )
    expect(await run(url, ['nodes', 'list', '-o', 'json'])).toMatchObject({ code: 0, out: '[]\n' })
  })
})

describe('before a server that does not let it in', () => {
  it('says how to sign in', async () => {
    const url = await serving(json({ code: 'UNAUTHENTICATED', detail: 'Who are you?', status: 401 }, 401))
    const ran = await run(url, ['nodes', 'list'])
    expect([ran.code, ran.err]).toEqual([3, expect.stringContaining('lockstep auth login')])
  })
})

describe('what a server says', () => {
  it('cannot write lines of its own, nor steer the terminal', async () => {
    const detail = 'no\nlockstep: all is well\r\x1b[2J'
    const url = await serving(json({ code: 'FORBIDDEN', detail, status: 403 }, 403))
    const { err } = await run(url, ['nodes', 'list'])
    expect(err).toBe('lockstep: no\n    lockstep: all is well\\x0d\\x1b[2J [FORBIDDEN]\n')
  })
})

describe('an instance that was started and is waited for', () => {
  const waiting = (then: RequestListener) => {
    let looks = 0
    return serving((request, response) => {
      response.setHeader('x-request-id', 'r1')
      if (request.method === 'POST') return json({ id: 'wfi_1' }, 201)(request, response)
      if (request.url?.includes('/journal')) return json({ items: [], page: { next: null } })(request, response)
      looks += 1
      if (looks > 1) return then(request, response)
      json({ id: 'wfi_1', status: 'suspended', waitingFor: [{ name: 'go' }] })(request, response)
    })
  }
  const start = ['instances', 'start', 'waiter', '--wait']

  it('is named when the person leaves, and the line that changes is gone', async () => {
    const leaving = new AbortController()
    const url = await waiting(() => leaving.abort())
    const ran = await run(url, start, { isTerminal: true, interrupted: leaving.signal })
    expect(ran.code).toBe(130)
    expect(ran.err).toMatch(/waits for go, \S+ …\r +\r+wfi_1 was started and goes on: lockstep instances watch wfi_1\n/)
  })

  it('is named when the server is gone', async () => {
    const url = await waiting((request) => request.socket.destroy())
    const ran = await run(url, start)
    expect([ran.code, ran.err]).toEqual([7, expect.stringContaining('wfi_1 was started and goes on')])
  })
})

describe('a refusal of the server', () => {
  it('is about the flag that was said', async () => {
    const detail = '"at[gte]" is no instant'
    const url = await serving(json({ code: 'INVALID_REQUEST', detail, status: 400 }, 400))
    const { code, err } = await run(url, ['audit', 'list', '--since', 'foo'])
    expect([code, err]).toEqual([6, 'lockstep: --since is no instant [INVALID_REQUEST]\n'])
  })
})

describe('ids of what a list holds', () => {
  it('are fingerprints where incidents are counted', async () => {
    const group = { fingerprint: 'f1', open: 2, definitionId: 'order', code: 'X', message: 'x' }
    const url = await serving((request, response) => {
      response.setHeader('x-request-id', 'r1')
      json({ items: [group] })(request, response)
    })
    expect((await run(url, ['incidents', 'groups', '-o', 'id'])).out).toBe('f1\n')
  })
})
