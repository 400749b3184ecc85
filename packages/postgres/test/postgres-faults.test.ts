import { deferred } from '@lockstep/base'
import {
  blackhole,
  cutCommit,
  cutStatement,
  type FaultProxy,
  latency,
  oneWay,
  startFaultProxy,
} from '@lockstep/testing/faults'
import type { ServerHandle } from '@lockstep/testing/harness'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { CommitUnknown, ConnectionLost, DatabaseTimeout, type Db, migrate, statement } from '../src/index.ts'
import { edge, emptyDatabase, errorOf, openTestPostgres, startTestServer, until } from './open-test-database.ts'

const insert = statement<number, { id: number }>(
  'fault_insert',
  (id) => [id],
  'insert into entry (id) values ($1) returning id',
)
const find = statement<number, { id: number }>('fault_find', (id) => [id], 'select id from entry where id = $1', {
  readOnly: true,
})
const backend = statement<undefined, { pid: number }>('fault_backend', () => [], 'select pg_backend_pid() as pid', {
  readOnly: true,
})
const terminate = statement<number>('fault_terminate', (pid) => [pid], 'select pg_terminate_backend($1, 10000)')
const locks = statement<undefined, { count: number }>(
  'fault_locks',
  () => [],
  `select count(*)::int4 as count from pg_locks where relation = 'entry'::regclass and pid <> pg_backend_pid()`,
  { readOnly: true },
)

let server: ServerHandle
let url: string
/** Goes straight to the server: it looks at what really happened. */
let direct: Db

beforeAll(async () => {
  server = await startTestServer({ durable: true })
  url = await emptyDatabase(server)
  direct = await openTestPostgres(url, { acquireTimeoutMs: 30_000 })
  await migrate(direct, { mode: 'auto', ...edge })
  await direct.script('create table entry (id int4 primary key)')
})
afterAll(async () => {
  await direct?.close()
  await server?.stop()
})
beforeEach(() => direct.script('truncate entry'))

const isThere = async (id: number): Promise<boolean> => (await direct.maybeOne(find, id)) !== undefined

describe('a session that the server ends', () => {
  it('rolls its transaction back and says so; the lane opens another', async () => {
    await using db = await openTestPostgres(url)
    const error = await errorOf(
      db.transaction(async (tx) => {
        await tx.run(insert, 1)
        await direct.run(terminate, (await tx.one(backend)).pid)
        await tx.run(insert, 2)
      }),
    )
    expect(ConnectionLost.is(error) && error.retryable).toBe(true)
    expect(await isThere(1)).toBe(false)
    expect(await db.run(insert, 3)).toBe(1)
  })

  it('tells the caller at once, though the closure goes on', async () => {
    await using db = await openTestPostgres(url)
    const never = deferred<void>()
    const error = await errorOf(
      db.transaction(async (tx) => {
        await direct.run(terminate, (await tx.one(backend)).pid)
        await never.promise
      }),
    )
    expect(ConnectionLost.is(error)).toBe(true)
  })

  it('harms nobody while it is idle', async () => {
    await using db = await openTestPostgres(url)
    for (let round = 0; round < 5; round++) {
      const { pid } = await db.one(backend)
      await direct.run(terminate, pid)
      await until(() => db.stats().every((lane) => lane.name !== 'work' || lane.openCount === 0))
      expect((await db.one(backend)).pid).not.toBe(pid)
    }
  })

  it('harms no transaction that finds it out by its BEGIN', async () => {
    await using proxy = await startFaultProxy({ target: server.url })
    await using db = await openTestPostgres(proxy.url(url))
    const fault = cutStatement({ when: 'before-forward', matching: /^begin/, times: 2 })
    await using _fault = proxy.use(fault)
    expect(await db.transaction((tx) => tx.run(insert, 1))).toBe(1)
    expect(await db.transactionEndingWith(insert, async () => 2)).toEqual([{ id: 2 }])
    expect(fault.hits).toBe(2)
    expect((await isThere(1)) && (await isThere(2))).toBe(true)
  })

  it('leaves reads to be repeated and writes unknown', async () => {
    await using db = await openTestPostgres(url, { lanes: { work: { size: 1 } } })
    const { pid } = await db.one(backend)
    const slowRead = statement('fault_slow_read', () => [], 'select pg_sleep(30)', { readOnly: true })
    const slowWrite = statement('fault_slow_write', () => [], 'select pg_sleep(30)')
    const results = [errorOf(db.run(slowRead)), errorOf(db.run(slowWrite)), errorOf(db.run(insert, 1))]
    await until(async () => (await direct.one(activity, pid)).state === 'active')
    await direct.run(terminate, pid)
    const [read, write, behind] = await Promise.all(results)
    expect(ConnectionLost.is(read)).toBe(true)
    expect(CommitUnknown.is(write)).toBe(true)
    expect(CommitUnknown.is(behind)).toBe(true)
    expect(await isThere(1)).toBe(false)
  })
})

describe('a first connection that takes long', () => {
  it('is waited for by whoever comes before, longer than for one of a busy pool, and the next one again as long', async () => {
    await using proxy = await startFaultProxy({ target: server.url })
    await using db = await openTestPostgres(proxy.url(url), { acquireTimeoutMs: 700 })
    const fault = latency({ ms: 250 })
    await using _fault = proxy.use(fault)
    const from = performance.now()
    // Two statements take the first connection that is there; the transaction needs one of its own.
    const asked = [db.one(backend), db.one(backend), db.transaction((tx) => tx.run(insert, 1))]
    expect(await Promise.all(asked)).toHaveLength(3)
    expect(performance.now() - from).toBeGreaterThan(700)
    expect(fault.hits).toBeGreaterThan(0)
    expect(await isThere(1)).toBe(true)
  })
})

const activity = statement<number, { state: string }>(
  'fault_activity',
  (pid) => [pid],
  'select state from pg_stat_activity where pid = $1',
  { readOnly: true },
)

describe('a connection cut around COMMIT', () => {
  let proxy: FaultProxy
  beforeAll(async () => {
    proxy = await startFaultProxy({ target: server.url })
  })
  afterAll(() => proxy?.close())

  for (const [moment, isCommitted] of [
    ['before-forward', false],
    ['after-forward', true],
  ] as const) {
    it(`is unknown to a transaction (${moment}), and looking resolves it`, async () => {
      await using db = await openTestPostgres(proxy.url(url))
      const fault = cutCommit(moment, { times: 1, matching: /entry/ })
      await using _fault = proxy.use(fault)
      const error = await errorOf(db.transaction((tx) => tx.run(insert, 1)))
      expect(fault.hits).toBe(1)
      expect(CommitUnknown.is(error) && error.retryable).toBe(false)
      expect(CommitUnknown.is(error)).toBe(true)
      expect(await isThere(1)).toBe(isCommitted)
      expect(await db.run(insert, 2)).toBe(1)
    })

    it(`is unknown to a transaction that ends with a statement (${moment})`, async () => {
      await using db = await openTestPostgres(proxy.url(url))
      const fault = cutCommit(moment, { times: 1, matching: /entry/ })
      await using _fault = proxy.use(fault)
      const error = await errorOf(db.transactionEndingWith(insert, async () => 1))
      expect(fault.hits).toBe(1)
      expect(CommitUnknown.is(error)).toBe(true)
      expect(await isThere(1)).toBe(isCommitted)
    })

    it(`is unknown to a single write (${moment})`, async () => {
      await using db = await openTestPostgres(proxy.url(url))
      const fault = cutStatement({ when: moment, matching: /insert into entry/, times: 1 })
      await using _fault = proxy.use(fault)
      const error = await errorOf(db.run(insert, 1))
      expect(fault.hits).toBe(1)
      expect(CommitUnknown.is(error)).toBe(true)
      expect(await isThere(1)).toBe(isCommitted)
    })

    it(`is only a lost connection to a single read (${moment})`, async () => {
      await using db = await openTestPostgres(proxy.url(url))
      const fault = cutStatement({ when: moment, matching: /select id from entry/, times: 1 })
      await using _fault = proxy.use(fault)
      expect(ConnectionLost.is(await errorOf(db.maybeOne(find, 1)))).toBe(true)
      expect(await db.maybeOne(find, 1)).toBeUndefined()
    })

    it(`is surely rolled back when a statement before COMMIT is cut (${moment})`, async () => {
      await using db = await openTestPostgres(proxy.url(url))
      const fault = cutStatement({ when: moment, matching: /insert into entry/, times: 1 })
      await using _fault = proxy.use(fault)
      expect(ConnectionLost.is(await errorOf(db.transaction((tx) => tx.run(insert, 1))))).toBe(true)
      expect(await isThere(1)).toBe(false)
    })
  }

  it('resolves a hundred cuts to exactly what the server has', async () => {
    await using db = await openTestPostgres(proxy.url(url))
    const before = cutStatement({ when: 'before-forward', matching: /insert into entry/, chance: 0.2 })
    const after = cutStatement({ when: 'after-forward', matching: /insert into entry/, chance: 0.2 })
    await using _before = proxy.use(before)
    await using _after = proxy.use(after)
    let unknownCount = 0
    for (let id = 0; before.hits + after.hits < 100; id++) {
      const isKnown = await db.run(insert, id).then(
        () => true,
        (error: unknown) => !CommitUnknown.is(error),
      )
      if (isKnown) expect(await isThere(id)).toBe(true)
      else unknownCount++
    }
    expect(unknownCount).toBe(before.hits + after.hits)
  })

  it('destroys a connection on which nothing comes back, and takes another', async () => {
    await using db = await openTestPostgres(proxy.url(url), { statementTimeoutMs: 100 })
    await db.one(backend)
    const hole = proxy.use(blackhole())
    const [read, write] = await Promise.all([errorOf(db.one(backend)), errorOf(db.run(insert, 1))])
    expect(DatabaseTimeout.is(read)).toBe(true)
    expect(CommitUnknown.is(write) || ConnectionLost.is(write)).toBe(true)
    await hole.remove()
    await until(async () => (await db.one(backend).catch(() => undefined)) !== undefined)
  })
})

describe('a transaction that ends with a statement', () => {
  it('needs nothing more from its process to finish, not even that it reads the answers', async () => {
    await using proxy = await startFaultProxy({ target: server.url })
    await using db = await openTestPostgres(proxy.url(url), { statementTimeoutMs: 300 })
    const silence = oneWay('requests')
    const error = await errorOf(
      db.transactionEndingWith(insert, async () => {
        proxy.use(silence)
        return 7
      }),
    )
    expect(CommitUnknown.is(error)).toBe(true)
    await until(() => isThere(7))
    await until(async () => (await direct.one(locks)).count === 0)
  })
})

describe('a server that restarts', () => {
  it('is found again after a crash, with everything that was acknowledged', async () => {
    await using db = await openTestPostgres(url, { acquireTimeoutMs: 30_000 })
    const acknowledged: number[] = []
    let isWriting = true
    const writing = (async () => {
      for (let id = 1_000; isWriting; id++) {
        await db.run(insert, id).then(
          () => acknowledged.push(id),
          () => {},
        )
      }
    })()
    for (let round = 0; round < 2; round++) {
      const target = acknowledged.length + 50
      await until(() => acknowledged.length >= target)
      await server.kill9()
      await server.start()
    }
    const target = acknowledged.length + 50
    await until(() => acknowledged.length >= target)
    isWriting = false
    await writing
    const stored = new Set((await db.many(allIds)).map((row) => row.id))
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([])
  })

  it('is found again after an orderly restart, by every lane and by listeners', async () => {
    await using db = await openTestPostgres(url, { acquireTimeoutMs: 30_000 })
    let resyncCount = 0
    const messages: string[] = []
    await using _subscription = await db.listen('restarts', {
      onMessage: (payload) => messages.push(payload),
      onResync: () => resyncCount++,
    })
    const resyncsBefore = resyncCount
    await server.restart()
    for (const lane of ['control', 'work', 'api', 'flush'] as const)
      await until(
        async () =>
          (await db
            .lane(lane)
            .one(backend)
            .catch(() => undefined)) !== undefined,
      )
    await until(() => resyncCount > resyncsBefore)
    await direct.run(statement('fault_say', () => [], `select pg_notify('restarts', 'again')`))
    await until(() => messages.length === 1)
    expect(messages).toEqual(['again'])
  })
})

const allIds = statement<undefined, { id: number }>('fault_all_ids', () => [], 'select id from entry', {
  readOnly: true,
})

describe('a listener whose session the server ends', () => {
  it('listens again and is told to read everything anew', async () => {
    await using db = await openTestPostgres(url, { applicationName: 'listener-under-test' })
    let resyncCount = 0
    const messages: string[] = []
    await using _subscription = await db.listen('kills', {
      onMessage: (payload) => messages.push(payload),
      onResync: () => resyncCount++,
    })
    for (let round = 1; round <= 3; round++) {
      const before = resyncCount
      await direct.run(endListener)
      await until(() => resyncCount > before)
      await direct.run(statement('fault_shout', () => [], `select pg_notify('kills', 'heard')`))
      await until(() => messages.length === round)
    }
  })
})

const endListener = statement(
  'fault_end_listener',
  () => [],
  `select pg_terminate_backend(pid, 10000) from pg_stat_activity where application_name = 'listener-under-test' and query like 'listen%'`,
)
