import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  blackhole,
  type CutMoment,
  cutCommit,
  cutStatement,
  delayReply,
  type FaultProxy,
  refuse,
  startFaultProxy,
} from '../../src/faults/index.ts'
import {
  type ClonedDatabase,
  cloneDatabase,
  runPsql,
  type ServerHandle,
  startPostgres,
} from '../../src/harness/index.ts'
import { ManualClock } from './manual-clock.ts'

let server: ServerHandle
let database: ClonedDatabase
/** A connection past the proxy: the truth. */
let direct: pg.Client

beforeAll(async () => {
  server = await startPostgres({ quiet: true })
  database = await cloneDatabase(server, 'template1')
  direct = new pg.Client(database.url)
  await direct.connect()
  await direct.query(`
    create table fact (n int constraint once unique deferrable initially deferred);
    create function record(n int) returns int language sql as 'insert into fact values (n) returning n'`)
})

beforeEach(async () => {
  await direct.query('truncate fact')
})

afterAll(async () => {
  await direct?.end()
  await database?.drop()
  await server?.stop()
})

async function facts(): Promise<number[]> {
  const { rows } = await direct.query<{ n: number }>('select n from fact order by n')
  return rows.map((row) => row.n)
}

interface Session {
  readonly client: pg.Client
  /** Resolves when the server has forgotten the session: from then on nothing of it can still happen. */
  gone(): Promise<void>
}

async function connectThrough(proxy: FaultProxy, options: { readonly pipeline?: boolean } = {}): Promise<Session> {
  const client = new pg.Client({ connectionString: proxy.url(database.url), ...options })
  client.on('error', () => {})
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const gone = (): Promise<void> =>
    vi.waitFor(async () => {
      const found = await direct.query('select from pg_stat_activity where pid = $1', [rows[0]?.pid])
      expect(found.rowCount).toBe(0)
    })
  return { client, gone }
}

/** Ways to write the fact `n` in a transaction, each with another way to say COMMIT. Rejects when the outcome is unknown. */
const transactions: Readonly<Record<string, (client: pg.Client, n: number) => Promise<unknown>>> = {
  'a simple COMMIT': async (client, n) => {
    await client.query('begin')
    await client.query(`insert into fact values (${n})`)
    await client.query('COMMIT')
  },
  'a prepared COMMIT': async (client, n) => {
    await client.query({ name: 'open', text: 'begin' })
    await client.query({ name: 'add', text: 'insert into fact values ($1)', values: [n] })
    await client.query({ name: 'close', text: '/* all */ commit' })
  },
  'a COMMIT in one message with the work': async (client, n) => {
    await client.query(`begin; insert into fact values (${n}); commit`)
  },
}

describe.each(Object.entries(transactions))('%s', (_, write) => {
  it('passes and is counted when nobody cuts it', async () => {
    await using proxy = await startFaultProxy({ target: database.url })
    const { client } = await connectThrough(proxy)
    await write(client, 1)
    await write(client, 2)
    await client.end()
    expect(await facts()).toEqual([1, 2])
    expect(proxy.counters).toMatchObject({ commitsSeen: 2, commitsCut: 0, matched: 0, opaque: 0 })
  })

  it('has not happened when cut before it is forwarded', async () => {
    await using proxy = await startFaultProxy({ target: database.url })
    const { client, gone } = await connectThrough(proxy)
    await write(client, 1)
    const fault = cutCommit('before-forward')
    proxy.use(fault)
    await expect(write(client, 2)).rejects.toThrow()
    await fault.landed()
    await gone()
    expect(await facts()).toEqual([1])
    expect(proxy.counters).toMatchObject({ commitsSeen: 2, commitsCut: 1, cut: 1 })
  })

  it('has happened when cut after it is forwarded, and its client got an error', async () => {
    await using proxy = await startFaultProxy({ target: database.url })
    const { client, gone } = await connectThrough(proxy)
    await write(client, 1)
    const fault = cutCommit('after-forward')
    proxy.use(fault)
    await expect(write(client, 2)).rejects.toThrow()
    const { reply } = await fault.landed()
    expect(reply?.tags.at(-1)).toBe('COMMIT')
    // Not after the session has gone: the reply alone must prove it.
    expect(await facts()).toEqual([1, 2])
    await gone()
    expect(proxy.counters).toMatchObject({ commitsSeen: 2, commitsCut: 1, cut: 1 })
  })
})

describe('a pipelined transaction', () => {
  /** Everything is sent before anything is answered. */
  async function race(client: pg.Client, n: number): Promise<readonly boolean[]> {
    const sent = [
      client.query('begin'),
      client.query('insert into fact values ($1)', [n]),
      client.query({ name: 'close', text: 'commit' }),
      client.query('insert into fact values ($1)', [n + 100]),
    ]
    return (await Promise.allSettled(sent)).map((each) => each.status === 'fulfilled')
  }

  it('passes when nobody cuts it', async () => {
    await using proxy = await startFaultProxy({ target: database.url })
    const { client } = await connectThrough(proxy, { pipeline: true })
    expect(await race(client, 1)).toEqual([true, true, true, true])
    await client.end()
    expect(await facts()).toEqual([1, 101])
  })

  it('has not happened when cut before its COMMIT, nor has what was sent after it', async () => {
    await using proxy = await startFaultProxy({ target: database.url })
    const { client, gone } = await connectThrough(proxy, { pipeline: true })
    const fault = cutCommit('before-forward')
    proxy.use(fault)
    expect((await race(client, 1)).slice(2)).toEqual([false, false])
    await fault.landed()
    await gone()
    expect(await facts()).toEqual([])
  })

  it('has happened when cut after its COMMIT; the replies before it arrived, what was sent after it did not happen', async () => {
    await using proxy = await startFaultProxy({ target: database.url })
    const { client, gone } = await connectThrough(proxy, { pipeline: true })
    const fault = cutCommit('after-forward')
    proxy.use(fault)
    expect(await race(client, 1)).toEqual([true, true, false, false])
    expect((await fault.landed()).reply).toEqual({ tags: ['COMMIT'] })
    expect(await facts()).toEqual([1])
    await gone()
    expect(await facts()).toEqual([1])
  })
})

describe('an unknown outcome', () => {
  it('says so when the server turned the COMMIT down', async () => {
    await using proxy = await startFaultProxy({ target: database.url })
    const { client } = await connectThrough(proxy)
    const fault = cutCommit('after-forward')
    proxy.use(fault)
    await client.query('begin')
    await client.query('insert into fact values (1), (1)')
    await expect(client.query('commit')).rejects.toThrow(/terminated|ended|ECONNRESET/)
    expect((await fault.landed()).reply).toEqual({ tags: [], sqlState: '23505' })
    expect(await facts()).toEqual([])
  })

  it('strikes the transactions that match, as often as told, and leaves the rest alone', async () => {
    await using proxy = await startFaultProxy({ target: database.url })
    const pool = new pg.Pool({ connectionString: proxy.url(database.url), max: 2 })
    pool.on('error', () => {})
    const fault = cutCommit('after-forward', { matching: /insert into fact/, skip: 1, times: 2 })
    proxy.use(fault)
    let unknown = 0
    for (let n = 1; n <= 5; n++) {
      const client = await pool.connect()
      client.on('error', () => {})
      await client.query('begin')
      await client.query('select 1')
      await client.query('commit')
      try {
        await transactions['a simple COMMIT']!(client, n)
        client.release()
      } catch {
        unknown++
        client.release(true)
      }
    }
    await pool.end()
    expect(unknown).toBe(2)
    expect(fault.hits).toBe(2)
    expect(await facts()).toEqual([1, 2, 3, 4, 5])
    expect(proxy.counters).toMatchObject({ commitsSeen: 10, commitsCut: 2, matched: 2 })
  })
})

describe.each<readonly [string, (client: pg.Client, n: number) => Promise<unknown>]>([
  ['a simple statement', (client, n) => client.query(`select record(${n})`)],
  ['a statement with parameters', (client, n) => client.query('select record($1)', [n])],
  ['a prepared statement', (client, n) => client.query({ name: 'r', text: 'select record($1)', values: [n] })],
])('%s that commits by itself', (_, record) => {
  it.each<readonly [CutMoment, readonly number[]]>([
    ['before-forward', [1]],
    ['after-forward', [1, 2]],
  ])('cut %s leaves the facts %j', async (when, expected) => {
    await using proxy = await startFaultProxy({ target: database.url })
    const { client, gone } = await connectThrough(proxy)
    await record(client, 1)
    const fault = cutStatement({ when, matching: /select record/ })
    proxy.use(fault)
    await client.query('select 1')
    await expect(record(client, 2)).rejects.toThrow()
    await fault.landed()
    if (when === 'before-forward') await gone()
    expect(await facts()).toEqual(expected)
    expect(proxy.counters.matched).toBe(1)
  })
})

describe('other faults on a PostgreSQL link', () => {
  it('delays the reply of a statement that has long happened', async () => {
    const clock = new ManualClock()
    await using proxy = await startFaultProxy({ target: database.url, clock })
    const { client } = await connectThrough(proxy)
    const fault = delayReply({ matching: /record/, ms: 60_000 })
    proxy.use(fault)
    let known = false
    const write = client.query('select record(7)').then(() => {
      known = true
    })
    await fault.landed()
    expect(await facts()).toEqual([7])
    clock.advance(59_999)
    expect(await facts()).toEqual([7])
    expect(known).toBe(false)
    clock.advance(1)
    await write
    await client.end()
  })

  it('holds a session in a blackhole and lets it go on', async () => {
    await using proxy = await startFaultProxy({ target: database.url })
    const { client } = await connectThrough(proxy)
    const hole = proxy.use(blackhole())
    const write = client.query('select record(3)')
    expect(await facts()).toEqual([])
    await hole.remove()
    await write
    expect(await facts()).toEqual([3])
    await client.end()
  })

  it('refuses new sessions and keeps the old one', async () => {
    await using proxy = await startFaultProxy({ target: database.url })
    const { client } = await connectThrough(proxy)
    const handle = proxy.use(refuse())
    await expect(connectThrough(proxy)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await client.query('select record(4)')
    await handle.remove()
    const later = await connectThrough(proxy)
    await Promise.all([client.end(), later.client.end()])
    expect(await facts()).toEqual([4])
  })

  it('follows a client that asks for encryption first and is refused it', async () => {
    await using proxy = await startFaultProxy({ target: database.url })
    const url = new URL(proxy.url(database.url))
    url.searchParams.set('sslmode', 'prefer')
    const write = (n: number): Promise<unknown> =>
      runPsql(url.href, 'writing through the proxy', `begin;\ninsert into fact values (${n});\ncommit;`)
    await write(1)
    const fault = cutCommit('after-forward')
    proxy.use(fault)
    await expect(write(2)).rejects.toThrow(/server/)
    expect((await fault.landed()).reply).toEqual({ tags: ['COMMIT'] })
    expect(await facts()).toEqual([1, 2])
    expect(proxy.counters).toMatchObject({ commitsSeen: 2, commitsCut: 1, opaque: 0 })
  })
})
