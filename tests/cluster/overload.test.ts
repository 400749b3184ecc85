import { type Deferred, deferred, silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { Engine, workflow } from '@lockstep/engine'
import {
  type Db,
  engineLanes,
  openPostgres,
  postgresBrowse,
  postgresEngineStore,
  postgresIdempotency,
} from '@lockstep/postgres'
import { type HttpServer, openHttpServer } from '@lockstep/server'
import { cloneDatabase } from '@lockstep/testing/harness'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'

/** A server that can do next to nothing at once: what is refused, what still gets in, and that it recovers. */
const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
const UNKNOWN_TASK = 'task_01890000-0000-7000-8000-000000000000'

const open = deferred<string>()
const opensLater = deferred<void>()
const workflows = [
  workflow('quick', async () => 'done'),
  workflow('asks', async (ctx) => ctx.waitFor('answer')),
  workflow('brief', async () => 'done'),
  workflow('later', async (ctx) => {
    await ctx.step('hold', () => opensLater.promise)
    return ctx.waitFor('answer')
  }),
  workflow('held', async (ctx) => ctx.step('hold', () => open.promise)),
]

let drop: () => Promise<void>
let url: string
let db: Db
let engine: Engine
let server: HttpServer
/** Lists stand here, and take room. */
let gate: Deferred<void> | undefined
let standing = 0

beforeAll(async () => {
  const database = await cloneDatabase(inject('postgres'))
  drop = () => database.drop()
  url = database.url
  const lanes = { ...engineLanes, work: { ...engineLanes.work, size: 2 }, api: { size: 2 } }
  const held = { idleInTransactionMs: 600_000 }
  db = await openPostgres({ url: database.url, ...edge, ...held, lanes, acquireTimeoutMs: 2_000 })
  const patient = { workflows, resumeWaitMs: 600_000 }
  engine = await Engine.open({ ...edge, ...patient, store: postgresEngineStore(db), name: 'small' })
  const browse = postgresBrowse(db)
  server = await openHttpServer({
    ...edge,
    host: '127.0.0.1',
    port: 0,
    basePath: '',
    health: { started: () => true, ready: () => db.ping().then(() => [{ name: 'database', ok: true }]) },
    engine,
    browse: {
      ...browse,
      instances: async (...args: Parameters<typeof browse.instances>) => {
        standing += 1
        await gate?.promise
        return browse.instances(...args)
      },
    },
    idempotency: postgresIdempotency(db),
    // Starts may use 1, all but resumes and heartbeats 2, resumes 3, heartbeats 4.
    overload: { atOnce: 4, reserved: 0.25, queued: 1, turnAwayAfterMs: 600_000, giveUpAfterMs: 6_000 },
  })
})
afterAll(async () => {
  open.resolve('let go')
  opensLater.resolve()
  gate?.resolve()
  await server?.close()
  await engine?.close(1_000)
  await db?.close()
  await drop?.()
})

// biome-ignore lint/suspicious/noExplicitAny: a test reads what the wire carries
type Told = { status: number; retryAfter: number; body: any }
const ask = async (method: string, path: string, body?: unknown): Promise<Told> => {
  const response = await fetch(`${server.url}${path}`, {
    method,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  return {
    status: response.status,
    retryAfter: Number(response.headers.get('retry-after')),
    body: await response.json(),
  }
}
const api = (method: string, path: string, body?: unknown): Promise<Told> => ask(method, `/api/v1${path}`, body)
const start = (definitionId: string, wait?: string): Promise<Told> =>
  api('POST', '/workflow-instances', { definitionId, ...(wait === undefined ? {} : { wait }) })

describe('a server with more requests than room', () => {
  it('refuses starts with 429 and 503 and says when to come back; resumes, heartbeats and health get in', async () => {
    const { body: asks } = await start('asks')
    const heldRoom = deferred<void>()
    gate = heldRoom
    standing = 0
    const lists = [api('GET', '/workflow-instances'), api('GET', '/workflow-instances')]
    await expect.poll(() => standing, { timeout: 60_000 }).toBe(2)

    const starts = await Promise.all(Array.from({ length: 5 }, () => start('quick')))
    // One place in the queue, where it waits in vain; no place for the others.
    const told = starts.map(({ status, body }) => `${status} ${body.code}`).sort()
    expect(told).toEqual([...Array(4).fill('429 TOO_MANY_REQUESTS'), '503 OVERLOADED'])
    for (const { retryAfter, body } of starts) {
      expect(retryAfter).toBeGreaterThanOrEqual(1)
      expect(body.retryable).toBe(true)
    }

    const resumed = await api('POST', `/workflow-instances/${asks.id}/resume`, { payload: 'yes' })
    expect([resumed.status, resumed.body.outcome]).toEqual([200, 'resumed'])
    expect((await api('GET', '/cluster/nodes')).body.items).toMatchObject([{ name: 'small', state: 'alive' }])
    const beat = await api('POST', `/tasks/${UNKNOWN_TASK}/heartbeat`, { lease: 1 })
    expect([429, 503]).not.toContain(beat.status)
    expect([(await ask('GET', '/health/live')).status, (await ask('GET', '/health/ready')).status]).toEqual([200, 200])

    heldRoom.resolve()
    gate = undefined
    expect((await Promise.all(lists)).map((each) => each.status)).toEqual([200, 200])
    expect((await start('quick', '60s')).body).toMatchObject({ status: 'completed', output: 'done' })
    // What was refused left nothing behind.
    expect((await api('GET', '/workflow-instances?definition=quick')).body.items).toHaveLength(1)
  })

  it('counts no request that only waits', async () => {
    const waiting = Array.from({ length: 8 }, async (_, index) => {
      // One after the other: there is room for a single start.
      for (;;) {
        const told = await start('held', '60s')
        if (told.status !== 429 && told.status !== 503) return { ...told, index }
      }
    })
    await expect
      .poll(async () => (await api('GET', '/workflow-instances?definition=held')).body.items?.length, {
        timeout: 60_000,
      })
      .toBe(8)
    expect((await start('quick', '60s')).body).toMatchObject({ status: 'completed' })
    open.resolve('let go')
    for (const { body } of await Promise.all(waiting)) expect(body).toMatchObject({ status: 'completed' })
  })

  it('counts no resume that waits for an instance of another node: starts go on beside a hundred of them', async () => {
    await using otherDb = await openPostgres({ url, ...edge })
    const other = await Engine.open({ ...edge, store: postgresEngineStore(otherDb), workflows, name: 'other' })
    const { instanceId } = await other.start({ definitionId: 'later' })
    /** Three at most are worked on at once. */
    const patiently = async (again: () => Promise<Told>): Promise<Told> => {
      for (;;) {
        const told = await again()
        if (told.status !== 429 && told.status !== 503) return told
      }
    }
    let waitingCount = 100
    const waiting = Array.from({ length: waitingCount }, async () => {
      const told = await patiently(() => api('POST', `/workflow-instances/wfi_${instanceId}/resume`, {}))
      waitingCount -= 1
      return told
    })
    const started = await patiently(() => start('brief', '60s'))
    expect([started.body.status, waitingCount]).toEqual(['completed', 100])
    opensLater.resolve()
    const told = (await Promise.all(waiting)).map(({ status, body }) => `${status} ${body.outcome}`).sort()
    expect(told).toEqual(['200 resumed', ...Array(99).fill('409 already-resumed')])
    await other.close(1_000)
  })
})

describe('a pool without a free connection', () => {
  it('is survived: requests are put off, the node lives, and then all goes on', async () => {
    const release = deferred<void>()
    const owned = (['work', 'work', 'api', 'api'] as const).map((lane) => {
      const begun = deferred<void>()
      const ended = db.lane(lane).transaction(async () => {
        begun.resolve()
        await release.promise
      })
      return { begun: begun.promise, ended }
    })
    await Promise.all(owned.map((each) => each.begun))

    const told = await api('GET', '/workflow-instances?definition=quick')
    expect([told.status, told.body.code, told.retryAfter]).toEqual([503, 'DATABASE_BUSY', 1])
    expect([(await ask('GET', '/health/live')).status, (await ask('GET', '/health/ready')).status]).toEqual([200, 200])
    const id = engine.nodeId

    release.resolve()
    await Promise.all(owned.map((each) => each.ended))
    expect((await start('quick', '60s')).body).toMatchObject({ status: 'completed', output: 'done' })
    expect((await api('GET', '/workflow-instances?definition=quick')).body.items).toHaveLength(3)
    expect(engine.nodeId).toBe(id)
  })
})
