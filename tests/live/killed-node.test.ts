import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { type Db, openPostgres } from '@lockstep/postgres'
import { type ServerHandle, startPostgres } from '@lockstep/testing/harness'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../faults/until.ts'
import { LockstepProcess } from '../start/run-lockstep.ts'
import { journalOf } from './live-nodes.ts'
import { StreamReader } from './read-stream.ts'

let folder: string
let server: ServerHandle
let db: Db
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'lockstep-live-'))
  server = await startPostgres({ maxConnections: 100 })
})
afterAll(async () => {
  await db?.close()
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

const ROUNDS = 40
const document = {
  id: 'pair',
  activities: [
    { id: 'a', type: 'log', inputs: { message: 'a' } },
    { id: 'rest', type: 'delay', inputs: { duration: '50ms' } },
    { id: 'b', type: 'set-output', inputs: { name: 'ok', value: true } },
  ],
  connections: [
    { from: 'a', to: 'rest' },
    { from: 'rest', to: 'b' },
  ],
}

const serve = (): LockstepProcess =>
  new LockstepProcess(['server', '--port', '0', '--database-url', server.url, '--log-level', 'warn'], { cwd: folder })
const send = async (url: string, method: string, to: string, body: unknown): Promise<void> => {
  const response = await fetch(`${url}/api/v1${to}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
}

it('goes on at another node when its own was killed: no fact missing, none twice', async () => {
  await using first = serve()
  const one = await first.url()
  await using second = serve()
  const two = await second.url()
  await send(one, 'PUT', '/workflow-definitions/pair', document)

  const before = await StreamReader.open(one, '?topic=instances&after=1')
  await before.until('the stream is there', ({ heard }) => heard.length > 0)
  const start = (url: string): Promise<void> => send(url, 'POST', '/workflow-instances', { definitionId: 'pair' })
  for (let round = 0; round < ROUNDS; round += 1) await Promise.all([start(one), start(two)])
  await before.until('it is in the middle', ({ events }) => events.length >= ROUNDS)
  await first.end('SIGKILL')
  await before.over()

  await using after = await StreamReader.open(two, '?topic=instances', before.lastId)
  for (let round = 0; round < ROUNDS; round += 1) await start(two)
  db = await openPostgres({ url: server.url, clock: systemClock, random: systemRandom, logger: silentLogger })
  const ends = async (): Promise<number> => (await journalOf(db)).filter((fact) => fact.endsWith(' ended')).length
  await until('all have ended', async () => (await ends()) === 3 * ROUNDS, 100_000)
  const journal = await journalOf(db)
  const facts = (): string[] =>
    [...before.events, ...after.events].map(({ id, data }) => `${id} ${data.instanceId} ${data.seq} ${data.type}`)
  await until('all were told', () => facts().length >= journal.length, 60_000)
  expect(facts()).toEqual(journal)
  expect(before.events.length).toBeGreaterThan(0)
  expect(after.events.length).toBeGreaterThan(0)
})
