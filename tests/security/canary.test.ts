/** Values that stand nowhere else are set as secrets and used in every way; afterwards nothing that anybody can read has them. */
import { randomBytes } from 'node:crypto'
import { systemClock, systemRandom } from '@lockstep/base'
import { openPostgres, statement } from '@lockstep/postgres'
import { type ClonedDatabase, cloneDatabase, type ServerHandle, startRedis } from '@lockstep/testing/harness'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { openClient } from '../../packages/redis/test/open-test-redis.ts'
import { type HttpSink, openHttpSink, type Received } from '../activities/http-sink.ts'
import { StreamReader } from '../live/read-stream.ts'
import { canaryDocuments, canaryNames, careless, failing, repeating, spilling } from './canary-programs.ts'
import { newKeyText, openSecretSite, type SecretSite } from './secret-site.ts'

const edge = { clock: systemClock, random: systemRandom }
const canaries = new Map<string, string>()
/** Found wherever the search looks, so that a search which sees nothing is noticed. */
const DECOY = `decoy-${randomBytes(8).toString('hex')}`
const KEY = newKeyText()

let database: ClonedDatabase
let redis: ServerHandle
let sink: HttpSink
let site: SecretSite
let stream: StreamReader
const ended = new Map<string, string>()
const ids: string[] = []

beforeAll(async () => {
  ;[database, redis, sink] = await Promise.all([
    cloneDatabase(inject('postgres')),
    startRedis({ quiet: true }),
    openHttpSink(),
  ])
  sink.answer = echo
  site = await openSecretSite(
    {
      LOCKSTEP_DATABASE_URL: database.url,
      LOCKSTEP_REDIS_URL: redis.url,
      LOCKSTEP_LOCKS: 'redis',
      LOCKSTEP_CACHE: 'redis',
      LOCKSTEP_BUS: 'redis',
      LOCKSTEP_SECRET_KEYS: KEY,
      LOCKSTEP_OUTBOUND_ALLOW: '127.0.0.1',
      LOCKSTEP_SQL_OWN_DATABASE: 'on',
    },
    { workflows: [careless, failing, repeating], activities: [spilling] },
  )
  stream = await StreamReader.open(site.url)
  for (const name of canaryNames) {
    const value = `canary ${name} ${randomBytes(12).toString('base64')}`
    canaries.set(name, name === 'of-urls' ? `${sink.url}/echo?t=${encodeURIComponent(value)}` : value)
    expect((await site.set(name, canaries.get(name)!)).status).toBe(200)
  }
  const documents = canaryDocuments(sink.url)
  for (const document of documents) await site.publish(document)
  const all = [...documents.map(({ id }) => id), 'careless', 'failing']
  await Promise.all(
    all.map(async (id) => {
      const { body } = await site.run(id, { decoy: DECOY })
      ended.set(id, body.status)
      ids.push(body.id)
    }),
  )
})
afterAll(async () => {
  await stream?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
  await sink?.[Symbol.asyncDispose]()
  await redis?.stop()
  await database?.drop()
})

let flakes = 0
function echo({ url, headers, body }: Received) {
  const said = JSON.stringify({
    url,
    headers,
    body,
    coded: Buffer.from(String(headers.authorization)).toString('base64'),
  })
  const type = { 'content-type': 'application/json' }
  if (url.startsWith('/refuse')) return { status: 400, headers: type, body: said }
  if (url.startsWith('/long')) return { status: 400, body: `${'x'.repeat(1_985)}${headers.authorization}` }
  if (url.startsWith('/flaky') && flakes++ < 2) return { status: 503, headers: type, body: said }
  return { headers: { ...type, 'x-echo': String(headers.authorization) }, body: said }
}

/** Every form in which somebody could read it. */
const formsOf = (value: string): readonly string[] => {
  const bytes = Buffer.from(value)
  const core = (text: string): string => text.slice(4, -4)
  return [
    value,
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    value.slice(-16),
    bytes.toString('hex'),
    core(bytes.toString('base64')),
    core(Buffer.concat([Buffer.from('a'), bytes]).toString('base64')),
    core(Buffer.concat([Buffer.from('ab'), bytes]).toString('base64')),
  ]
}
const foundIn = (text: string): readonly string[] =>
  [...canaries].filter(([, value]) => formsOf(value).some((form) => text.includes(form))).map(([name]) => name)
const expectNone = (text: string): void => {
  expect(foundIn(text)).toEqual([])
  expect(text).not.toContain(KEY)
}

describe('canaries', () => {
  it('were really used, and everything ended as it should', () => {
    const sent = sink.received.map((each) => JSON.stringify(each)).join('\n')
    for (const name of ['of-headers', 'of-older', 'of-bodies']) expect(foundIn(sent)).toContain(name)
    expect(sent).toContain(new URL(canaries.get('of-urls')!).search)
    expect(Object.fromEntries(ended)).toEqual({
      ...{ success: 'completed', url: 'completed', retried: 'completed', outcome: 'completed', caught: 'completed' },
      ...{ queried: 'completed', spilled: 'completed', careless: 'completed' },
      ...{ refused: 'faulted', long: 'faulted', hook: 'faulted', miscast: 'faulted', spoiled: 'faulted' },
      ...{ compensated: 'faulted', failing: 'faulted' },
    })
  })

  it('are in no table of the database', async () => {
    await using db = await openPostgres({ url: database.url, ...edge })
    const tables = await db.many(
      statement<undefined, { name: string }>(
        'test_all_tables',
        () => [],
        `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = current_schema()`,
      ),
    )
    const texts: string[] = []
    for (const [at, { name }] of tables.entries()) {
      const { text } = await db.one(
        statement<undefined, { text: string | null }>(
          `test_dump_${at}`,
          () => [],
          `select string_agg(t::text, E'\\n') as text from ${name} t`,
        ),
      )
      texts.push(text ?? '')
    }
    const dump = texts.join('\n')
    expect([dump.includes('[secret]'), dump.includes(DECOY), dump.includes('of-headers')]).toEqual([true, true, true])
    expectNone(dump)
  })

  it('are nowhere in Redis', async () => {
    await using client = await openClient(redis.url)
    // Readers do not wait for a slow Redis, and leave it alone for a second: then they have to read afresh.
    const keys = await vi.waitFor(
      async () => {
        expect((await site.send('POST', '/caches/instances/clear')).status).toBe(200)
        for (const id of ids) await site.send('GET', `/workflow-instances/${id}`)
        const found = await client.keys('*:{cache}:*')
        expect(found.length).toBeGreaterThanOrEqual(ids.length)
        return client.keys('*')
      },
      { timeout: 60_000, interval: 500 },
    )
    const values: string[] = []
    for (const key of keys) {
      const kind = await client.type(key)
      if (kind === 'string') values.push((await client.get(key)) ?? '')
      else if (kind === 'hash') values.push(JSON.stringify(await client.hGetAll(key)))
      else values.push(((await client.sendCommand(['DUMP', key])) ?? '').toString())
    }
    const dump = [...keys, ...values].join('\n')
    expect(dump).toContain(DECOY)
    expectNone(dump)
  })

  it('are in no line of the log', () => {
    const log = site.lines.join('\n')
    expect(log).toContain('has [secret]')
    expectNone(log)
  })

  it('are in no answer of the API', async () => {
    const { body: list } = await site.send('GET', '/workflow-instances?limit=100')
    const instances = list.items.flatMap(({ id }: { id: string }) =>
      ['', '/journal?limit=200', '/state', '/why', '/progress', '/results'].map(
        (rest) => `/workflow-instances/${id}${rest}`,
      ),
    )
    const { body: document } = await site.send('GET', '/openapi.json')
    const lists = Object.entries(document.paths as Record<string, Record<string, unknown>>)
      .filter(([path, operations]) => 'get' in operations && !path.includes('{') && !path.includes('streams'))
      .map(([path]) => path)
    const { body: incidents } = await site.send('GET', '/incidents?limit=100')
    const each = incidents.items.map(({ id }: { id: string }) => `/incidents/${id}`)
    const definitions = canaryDocuments(sink.url).map(({ id }) => `/workflow-definitions/${id}`)
    const answers: string[] = []
    for (const path of [...instances, ...lists, ...each, ...definitions])
      answers.push((await site.send('GET', path)).text)
    expect(lists).toEqual(expect.arrayContaining(['/secrets', '/audit-log', '/incidents']))
    expect([list.items.length, each.length]).toEqual([expect.any(Number), expect.any(Number)])
    const all = answers.join('\n')
    expect([all.includes('[secret]'), all.includes(DECOY)]).toEqual([true, true])
    expectNone(all)
  })

  it('are not in the live stream, nor in the metrics', async () => {
    await expect.poll(() => stream.heard.length).toBeGreaterThan(ended.size)
    expectNone(JSON.stringify(stream.heard))
    const metrics = await (await fetch(`${site.url}/metrics`)).text()
    expect(metrics).toContain('lockstep_')
    expectNone(metrics)
  })

  it('would be found, had one been left', () => {
    for (const value of canaries.values()) {
      expect(foundIn(`x ${value} y`)).toHaveLength(1)
      expect(foundIn(Buffer.from(`ann:${value}`).toString('base64'))).toHaveLength(1)
    }
  })
})
