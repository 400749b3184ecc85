import { deferred, silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { type Coordinator, coordinator } from '@lockstep/coordination'
import { Engine, workflow } from '@lockstep/engine'
import {
  type Db,
  openPostgres,
  postgresBrowse,
  postgresCoordination,
  postgresEngineStore,
  postgresIdempotency,
} from '@lockstep/postgres'
import { type HttpServer, openHttpServer } from '@lockstep/server'
import { cloneDatabase } from '@lockstep/testing/harness'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'

/** Two nodes with their servers on one PostgreSQL: whatever one is told, the other knows. */
const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }

interface Node {
  readonly db: Db
  readonly engine: Engine
  readonly locks: Coordinator
  readonly server: HttpServer
}

const held = deferred<string>()
const workflows = [
  workflow('held', async (ctx) => ctx.step('hold', () => held.promise)),
  workflow('quick', async () => 'done'),
]

let drop: () => Promise<void>
let nodes: Node[]
beforeAll(async () => {
  const database = await cloneDatabase(inject('postgres'))
  drop = () => database.drop()
  nodes = []
  for (const name of ['a', 'b']) {
    const db = await openPostgres({ url: database.url, ...edge })
    const engine = await Engine.open({ ...edge, store: postgresEngineStore(db), workflows, name })
    const locks = coordinator({ ...edge, provider: postgresCoordination(db, edge), name, ttlMs: 30_000 })
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
    nodes.push({ db, engine, locks, server })
  }
})
afterAll(async () => {
  held.resolve('let go')
  for (const { server, locks, engine, db } of nodes) {
    await server.close()
    await locks.close()
    await engine.close(1_000)
    await db.close()
  }
  await drop()
})

// biome-ignore lint/suspicious/noExplicitAny: a test reads what the wire carries
type Told = { status: number; headers: Headers; body: any }
const ask = async (node: number, method: string, path: string, body?: unknown, headers: object = {}): Promise<Told> => {
  const response = await fetch(`${nodes[node]!.server.url}/api/v1${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
}
const idsOf = ({ body }: Told): string[] => body.items.map((each: { id: string }) => each.id)

describe('two nodes', () => {
  it('know each other', async () => {
    const { body } = await ask(0, 'GET', '/cluster/nodes')
    expect(
      body.items.map((each: { name: string; self: boolean; state: string }) => [each.name, each.self, each.state]),
    ).toEqual([
      ['a', true, 'alive'],
      ['b', false, 'alive'],
    ])
  })

  it('give one answer to one key, whichever is asked', async () => {
    const key = { 'idempotency-key': 'over-there' }
    const first = await ask(0, 'POST', '/workflow-instances', { definitionId: 'quick' }, key)
    const second = await ask(1, 'POST', '/workflow-instances', { definitionId: 'quick' }, key)
    expect([second.status, second.body, second.headers.get('idempotent-replayed')]).toEqual([201, first.body, 'true'])
    const other = await ask(1, 'POST', '/workflow-instances', { definitionId: 'held' }, key)
    expect([other.status, other.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
  })

  it('list what either holds: locks, then instances at work', async () => {
    await using _lease = await nodes[1]!.locks.mutex('orders/7').acquire()
    const { id } = (await ask(1, 'POST', '/workflow-instances', { definitionId: 'held' })).body
    await expect.poll(async () => (await ask(0, 'GET', `/workflow-instances/${id}`)).body.status).toBe('running')
    const seen: unknown[] = []
    let cursor = ''
    do {
      const { body } = await ask(0, 'GET', `/locks?limit=1${cursor}`)
      expect(body.items.length).toBeLessThanOrEqual(1)
      seen.push(...body.items)
      cursor = body.page.next === null ? '' : `&cursor=${body.page.next}`
    } while (cursor !== '')
    expect(seen).toMatchObject([
      { key: 'orders/7', kind: 'mutex', state: 'held', holder: { name: 'b' }, waiters: 0 },
      { key: `workflow:${id}`, kind: 'instance', state: 'held', holder: { name: 'b', instanceId: id }, fence: '1' },
    ])
    expect((await ask(0, 'GET', `/locks?prefix=workflow:`)).body.items).toHaveLength(1)
    expect((await ask(0, 'GET', `/locks/workflow:${id}`)).body).toMatchObject({
      kind: 'instance',
      holder: { name: 'b' },
    })
    const refused = await ask(0, 'POST', `/locks/workflow:${id}/release`, { reason: 'mine' })
    expect([refused.status, refused.body.code]).toEqual([409, 'LOCK_IS_INSTANCE'])
  })

  it('take a lock from one another: the fence rises, the next has it', async () => {
    const lease = await nodes[1]!.locks.mutex('shared').acquire()
    const waiting = nodes[0]!.locks.mutex('shared').acquire()
    await expect.poll(async () => (await ask(0, 'GET', '/locks/shared')).body.waiters).toBe(1)
    const { status, body } = await ask(0, 'POST', '/locks/shared/release', { reason: 'stuck' })
    expect([status, body.released]).toEqual([200, 1])
    const next = await waiting
    expect(next.fence > lease.fence).toBe(true)
    const told = (await ask(0, 'GET', '/locks/shared')).body
    expect(told).toMatchObject({ holder: { name: 'a' }, fence: String(next.fence) })
    expect(told.history).toEqual(expect.arrayContaining([expect.objectContaining({ kind: 'broken', reason: 'stuck' })]))
    await next.release()
    expect((await ask(0, 'GET', '/locks/shared')).status).toBe(404)
  })
})

describe('lists of instances', () => {
  const rows = 25_000

  /** Old ones of another workflow, more than one page looks at, and few wanted ones below them. */
  beforeAll(async () => {
    await nodes[0]!.db.script(`
      insert into instance (id, tenant, definition_id, version, queue, created_at, finished_at, status, last_seq)
      select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, case when n % 7 = 0 then 'other' else 'default' end,
             case when n <= 10 then 'rare' else 'common' end, 1, 'default', timestamptz '2020-01-01' + n * interval '1 minute',
             timestamptz '2020-02-01', 'completed', 1
        from generate_series(1, ${rows}) n;
      insert into journal (instance_id, seq, claim_no, pos, at, node_id, tenant, kind, data)
      select id, 1, 1, 1, created_at, '00000000-0000-7000-8000-000000000000', tenant, 'started',
             json_build_object('input', json_build_object('n', right(id::text, 3), 'big', id::text < '00000000-0000-7000-8000-000000000006'))
        from instance where definition_id = 'rare'`)
  })

  it('go on past what does not fit, both ways, and show nobody else’s', async () => {
    const found: string[] = []
    const pages: Told[] = []
    let cursor = ''
    do {
      const page = await ask(0, 'GET', `/workflow-instances?definition=rare&limit=4${cursor}`)
      pages.push(page)
      found.push(...idsOf(page))
      cursor = page.body.page.next === null ? '' : `&cursor=${page.body.page.next}`
    } while (cursor !== '')
    expect(found.map((id) => Number.parseInt(id.slice(-12), 16))).toEqual([10, 9, 8, 6, 5, 4, 3, 2, 1])
    expect(pages.length).toBeGreaterThan(3)
    const back: string[] = []
    let prev: string | null = pages.at(-1)!.body.page.prev
    while (prev !== null) {
      const page: Told = await ask(0, 'GET', `/workflow-instances?definition=rare&limit=4&cursor=${prev}`)
      back.unshift(...idsOf(page))
      prev = page.body.page.prev
    }
    expect([...back, ...idsOf(pages.at(-1)!)]).toEqual(found)
  })

  it('go straight to the time that is asked for', async () => {
    await nodes[0]!.db.script(`
      insert into instance (id, tenant, definition_id, version, queue, created_at, finished_at, status, last_seq)
      select ('01940000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'default', 'newer', 1, 'default',
             timestamptz '2024-12-25', timestamptz '2025-01-01', 'completed', 1 from generate_series(1, 11000) n
      union all
      select ('016f5e66-e800-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'default', 'dated', 1, 'default',
             timestamptz '2020-01-01', timestamptz '2020-01-02', 'completed', 1 from generate_series(1, 3) n`)
    // 11,000 newer ones lie before them: more than one page looks at.
    const first = await ask(0, 'GET', '/workflow-instances?definition=dated&createdAt[lt]=2020-02-01')
    expect(idsOf(first)).toHaveLength(3)
    expect(idsOf(await ask(0, 'GET', '/workflow-instances?definition=dated'))).toHaveLength(0)
  })

  it('look into inputs', async () => {
    let [cursor, found] = ['', [] as string[]]
    do {
      const page = await ask(0, 'GET', `/workflow-instances?definition=rare&input.big=true&input.n=003${cursor}`)
      found = [...found, ...idsOf(page)]
      cursor = page.body.page.next === null ? '' : `&cursor=${page.body.page.next}`
    } while (cursor !== '')
    expect(found).toEqual(['wfi_00000000-0000-7000-8000-000000000003'])
  })

  it('refuse a cursor of another filter', async () => {
    const { body } = await ask(0, 'GET', '/workflow-instances?limit=1')
    const refused = await ask(0, 'GET', `/workflow-instances?limit=1&status=completed&cursor=${body.page.next}`)
    expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_CURSOR'])
  })
})
