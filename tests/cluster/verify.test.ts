import { createServer, type Server, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { buffer } from 'node:stream/consumers'
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { coordinator } from '@lockstep/coordination'
import { Engine } from '@lockstep/engine'
import {
  openPostgres,
  postgresBrowse,
  postgresCoordination,
  postgresEngineStore,
  postgresIdempotency,
} from '@lockstep/postgres'
import { openHttpServer } from '@lockstep/server'
import { cloneDatabase } from '@lockstep/testing/harness'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Ran, runIn } from '../cli/open-cli.ts'

/** The command against a sound cluster of two nodes, and against the same behind proxies that break it on purpose. */
const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }

const closers: (() => Promise<unknown>)[] = []
const urls: string[] = []
beforeAll(async () => {
  const database = await cloneDatabase(inject('postgres'))
  closers.push(() => database.drop())
  for (const name of ['a', 'b']) {
    const db = await openPostgres({ url: database.url, ...edge })
    closers.push(() => db.close())
    const locks = coordinator({ ...edge, provider: postgresCoordination(db, edge), name, ttlMs: 30_000 })
    const engine = await Engine.open({ ...edge, store: postgresEngineStore(db), workflows: [], name, locks })
    closers.push(
      () => locks.close(),
      () => engine.close(1_000),
    )
    const server = await openHttpServer({
      ...edge,
      host: '127.0.0.1',
      port: 0,
      basePath: '',
      health: { started: () => true, ready: async () => [] },
      engine,
      browse: postgresBrowse(db),
      idempotency: postgresIdempotency(db),
      locks: () => locks,
    })
    closers.push(() => server.close())
    urls.push(server.url)
  }
})
afterAll(async () => {
  for (const close of closers.reverse()) await close()
})

const proxies: Server[] = []
afterEach(() => {
  for (const proxy of proxies.splice(0)) {
    proxy.closeAllConnections()
    proxy.close()
  }
})

interface Exchange {
  readonly path: string
  readonly method: string
  body: string
  status: number
  answer: string
}

/** A node that is reached through somebody who changes what is said. */
async function lying(
  url: string,
  change: { onRequest?: (exchange: Exchange) => void; onAnswer?: (exchange: Exchange) => void },
): Promise<string> {
  const proxy = createServer(async (incoming, response) => {
    const body = (await buffer(incoming)).toString()
    const exchange: Exchange = { path: incoming.url ?? '', method: incoming.method ?? '', body, status: 0, answer: '' }
    change.onRequest?.(exchange)
    const { 'content-length': _length, ...headers } = incoming.headers
    const { method, path } = exchange
    const onward = send(`${url}${path}`, { method, headers, agent: false }, async (answer) => {
      exchange.answer = (await buffer(answer)).toString()
      exchange.status = answer.statusCode ?? 0
      change.onAnswer?.(exchange)
      response.writeHead(exchange.status, { 'content-type': 'application/json' }).end(exchange.answer)
    })
    onward.once('error', () => response.destroy())
    onward.end(exchange.body)
  })
  proxies.push(proxy)
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

const verify = (nodes: readonly string[], ...words: string[]): Promise<Ran> =>
  runIn(tmpdir(), { PATH: process.env.PATH ?? '' }, [
    'verify-cluster',
    ...nodes.flatMap((url) => ['--url', url]),
    ...words,
  ])

describe('verify-cluster', { timeout: 300_000 }, () => {
  it('prints pass and not run with figures, ends with 0, and cleans up', async () => {
    const { code, out, err } = await verify(urls, '--rounds', '1', '--timers', '6', '--lock-limit-ms', '600000')
    expect([code, err]).toEqual([0, expect.stringContaining('The cluster has 2 node(s)')])
    expect(out.match(/^\d {2}(pass|fail|not run)/gm)).toEqual([
      ...['1  pass', '2  pass', '3  pass', '4  not run', '5  not run', '6  pass'],
    ])
    expect(out).toMatch(/instances 1, resumes 30, won 1, lost 29/)
    expect(out).toMatch(/timers 6, spread \d/)
    expect(out).toMatch(/pairs 10, stale 0/)
    expect(out).toMatch(/grants 150, p50 ms \d+/)
    expect(out).toMatch(/it needs --kill-command/)

    const response = await fetch(`${urls[0]}/api/v1/workflow-definitions?limit=100`)
    const { items } = await response.json()
    expect(items.length).toBeGreaterThan(0)
    for (const { id, version } of items) expect([id, version]).toEqual([expect.stringMatching(/^verify-/), null])
  })

  it('prints JSON', async () => {
    const { code, json } = await verify(urls, '--rounds', '1', '--parts', '3', '--json')
    expect(code).toBe(0)
    expect(json).toMatchObject({
      passed: true,
      members: [{ name: 'a' }, { name: 'b' }],
      parts: [{ number: 3, verdict: 'pass', reasons: [], figures: { pairs: 10, stale: 0 } }],
    })
  })

  it('fails part 1 when a resume is answered twice', async () => {
    const doubling = await lying(urls[1]!, {
      onAnswer: (exchange) => {
        if (exchange.path.endsWith('/resume') && exchange.status === 409)
          Object.assign(exchange, { status: 200, answer: '{"outcome":"resumed"}' })
      },
    })
    const { code, out, err } = await verify([urls[0]!, doubling], '--rounds', '1', '--parts', '1')
    expect([code, err]).toEqual([1, expect.stringContaining('failed: part 1')])
    expect(out).toMatch(/1 {2}fail/)
    expect(out).toMatch(/an instance was resumed \d\d times/)
  })

  it('fails part 2 when a timer is told twice', async () => {
    const telling = await lying(urls[1]!, {
      onAnswer: (exchange) => {
        if (!/\/journal/.test(exchange.path)) return
        const told = JSON.parse(exchange.answer)
        const fire = told.items.find((each: { data?: { by?: string } }) => each.data?.by === 'timer')
        if (fire !== undefined) told.items.push({ ...fire, seq: told.items.length + 1 })
        exchange.answer = JSON.stringify(told)
      },
    })
    const { code, out } = await verify([telling], '--timers', '1', '--parts', '2')
    expect([code, out]).toEqual([1, expect.stringMatching(/2 {2}fail[\s\S]*a timer fired 2 times/)])
  })

  it('fails part 3 when a start gets a stale version', async () => {
    const stale = await lying(urls[1]!, {
      onRequest: (exchange) => {
        if (exchange.method === 'POST' && exchange.path.endsWith('/workflow-instances'))
          exchange.body = JSON.stringify({ ...JSON.parse(exchange.body), version: 1 })
      },
    })
    const { code, out } = await verify([urls[0]!, stale], '--rounds', '1', '--parts', '3')
    expect(code).toBe(1)
    expect(out).toMatch(/3 {2}fail/)
    expect(out).toMatch(/pairs 10, stale 5/)
  })

  it('fails parts 4 and 5 whose commands fail', async () => {
    const commands = ['--kill-command', 'echo no such node; exit 3', '--restart-command', 'exit 4']
    const { code, out } = await verify(urls, '--parts', '4,5', ...commands)
    expect(code).toBe(1)
    expect(out).toMatch(/4 {2}fail[\s\S]*ended with 3: no such node/)
    expect(out).toMatch(/5 {2}fail[\s\S]*ended with 4/)
    expect(out).toMatch(/failed requests 0, failed runs 0/)
  })

  it('fails part 6 when locks take longer than they may', async () => {
    const slow = await lying(urls[0]!, {
      onAnswer: (exchange) => {
        if (!/\/journal/.test(exchange.path)) return
        const told = JSON.parse(exchange.answer)
        for (const each of told.items)
          if (each.data?.lock !== undefined) each.at = new Date(Date.parse(each.at) + 3_600_000).toISOString()
        exchange.answer = JSON.stringify(told)
      },
    })
    const { code, out } = await verify([slow], '--rounds', '1', '--parts', '6', '--lock-limit-ms', '600000')
    expect([code, out]).toEqual([1, expect.stringMatching(/6 {2}fail[\s\S]*p99 is 36\d{5} ms, more than 600000 ms/)])
  })

  it.each([
    ['an address that is none', ['--url', 'node-1'], 2, /"node-1" is no address: write --url http/],
    ['a part that there is not', ['--parts', '1,7'], 2, /--parts must be a whole number from 1 to 6, not "7"/],
    ['rounds that are no number', ['--rounds', 'many'], 2, /--rounds must be a whole number from 1/],
    ['nobody there', ['--url', 'http://127.0.0.1:1'], 7, /Nothing answers at http:\/\/127.0.0.1:1/],
  ])('refuses %s', async (_what, words, code, message) => {
    const ran = await runIn(tmpdir(), { LOCKSTEP_URL: urls[0]! }, ['verify-cluster', ...words])
    expect([ran.code, ran.err]).toEqual([code, expect.stringMatching(message)])
  })
})
