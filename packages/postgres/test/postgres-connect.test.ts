import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { runPsql, type ServerHandle } from '@lockstep/testing/harness'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConnectionLost, DatabaseUnreachable, migrate, statement } from '../src/index.ts'
import { edge, emptyDatabase, errorOf, openTestPostgres, startTestServer, testFolder } from './open-test-database.ts'

const secret = 'a-secret-password'
const accessRules = testFolder()
const settings = statement<undefined, { name: string; value: string }>(
  'test_settings',
  () => [],
  `select name, current_setting(name) as value from unnest(array['search_path', 'application_name', 'statement_timeout', 'lock_timeout',
     'idle_in_transaction_session_timeout', 'tcp_user_timeout', 'TimeZone', 'jit', 'enable_hashjoin', 'plan_cache_mode']) as name`,
  { readOnly: true },
)
const prepared = statement<undefined, { name: string }>(
  'test_prepared',
  () => [],
  'select name from pg_prepared_statements',
  {
    readOnly: true,
  },
)

let server: ServerHandle
let url: string

beforeAll(async () => {
  const rules = join(accessRules.path, 'pg_hba.conf')
  writeFileSync(rules, 'host all keyed 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n')
  chmodSync(accessRules.path, 0o755)
  chmodSync(rules, 0o644)
  server = await startTestServer({ maxConnections: 40, settings: { hba_file: rules } })
  url = await emptyDatabase(server)
  await runPsql(url, 'creating a role', `create role keyed login password '${secret}';`)
})
afterAll(async () => {
  await server?.stop()
  accessRules[Symbol.dispose]()
})

async function refusal(databaseUrl: string): Promise<{ reason: string; message: string; text: string }> {
  const error = await errorOf(openTestPostgres(databaseUrl, { acquireTimeoutMs: 300, connectTimeoutMs: 300 }))
  if (!DatabaseUnreachable.is(error)) throw error
  return { reason: error.details.reason, message: error.message, text: `${error.stack} ${JSON.stringify(error)}` }
}

function withUser(user: string, password: string): string {
  const changed = new URL(url)
  changed.username = user
  changed.password = password
  return changed.href
}

describe('a database that cannot be reached', () => {
  it('is named with place and cure when nothing listens there', async () => {
    const { reason, message } = await refusal(`postgres://me:${secret}@127.0.0.1:1/orders`)
    expect(reason).toBe('refused')
    expect(message).toMatch(/127\.0\.0\.1:1\/orders \(user me\).*Is the server running there\?/)
  })

  it('is named when its host is unknown', async () => {
    const { reason, message } = await refusal(`postgres://me@no-such-host.invalid/orders`)
    expect(reason).toBe('unknown-host')
    expect(message).toContain('no-such-host.invalid:5432/orders')
  })

  it('is named when something listens there and says nothing', async () => {
    const silent = createServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as { port: number }
    const { reason, message } = await refusal(`postgres://me@127.0.0.1:${port}/orders`)
    expect(reason).toBe('no-answer')
    expect(message).toContain(`127.0.0.1:${port}/orders`)
    silent.close()
  })

  it('is named when it does not exist on the server', async () => {
    const { reason, message } = await refusal(`postgres://postgres@127.0.0.1:${server.port}/nowhere`)
    expect(reason).toBe('no-database')
    expect(message).toMatch(/nowhere.*Create the database/)
  })

  it('is named when the password is wrong or missing, and no password appears anywhere', async () => {
    const wrong = await refusal(withUser('keyed', 'wrong-secret'))
    expect(wrong.reason).toBe('authentication')
    expect(wrong.message).toMatch(/Check user and password/)
    expect(wrong.text).not.toContain('wrong-secret')
    expect((await refusal(withUser('keyed', ''))).reason).toBe('authentication')
    await (await openTestPostgres(withUser('keyed', secret))).close()
  })

  it('is named when the server has no room', async () => {
    const crowd = await openTestPostgres(url, { lanes: { work: { size: 40 } } })
    const ends: (() => void)[] = []
    const holders = Array.from({ length: 36 }, () =>
      crowd.transaction(() => new Promise<void>((resolve) => ends.push(resolve))).catch(() => {}),
    )
    const isFull = async (): Promise<boolean> => {
      const plain = new URL(url)
      plain.username = 'keyed'
      plain.password = secret
      const error = await openTestPostgres(plain.href, { acquireTimeoutMs: 100 }).then(
        (db) => db.close(),
        (failure: unknown) => failure,
      )
      return DatabaseUnreachable.is(error) && error.details.reason === 'not-ready'
    }
    while (!(await isFull()));
    for (const end of ends) end()
    await crowd.close()
    await Promise.all(holders)
  })
})

describe('a session', () => {
  it('is set up as its lane says', async () => {
    await using db = await openTestPostgres(url, {
      applicationName: 'lockstep:node-1',
      statementTimeoutMs: 7_000,
      lanes: {
        flush: {
          size: 1,
          lockTimeoutMs: 200,
          settings: { enable_hashjoin: 'off', plan_cache_mode: 'force_generic_plan' },
        },
      },
    })
    const read = async (lane: 'api' | 'flush'): Promise<Record<string, string>> =>
      Object.fromEntries((await db.lane(lane).many(settings)).map(({ name, value }) => [name, value]))
    const common = {
      search_path: '"lockstep"',
      application_name: 'lockstep:node-1',
      statement_timeout: '7s',
      idle_in_transaction_session_timeout: '6s',
      tcp_user_timeout: '10000',
      TimeZone: 'UTC',
      jit: 'off', // statements that look at young tables are priced too high, and would be compiled first
    }
    expect(await read('api')).toEqual({ ...common, lock_timeout: '5s', enable_hashjoin: 'on', plan_cache_mode: 'auto' })
    expect(await read('flush')).toEqual({
      ...common,
      lock_timeout: '200ms',
      enable_hashjoin: 'off',
      plan_cache_mode: 'force_generic_plan',
    })
  })

  it('prepares statements under their names', async () => {
    await using db = await openTestPostgres(url)
    expect(await db.many(prepared)).toEqual([{ name: 'test_prepared' }])
  })

  it('prepares and sets nothing behind a pooler, and asks for a role that finds the schema by itself', async () => {
    const asPooled = new URL(url)
    asPooled.username = 'pooled'
    await runPsql(url, 'creating a role', 'create role pooled login;')
    const error = await errorOf(openTestPostgres(asPooled.href, { pooler: true }))
    expect(error).toMatchObject({ code: 'INVALID_OPTION' })
    expect((error as Error).message).toContain('alter role "pooled" set search_path = "lockstep"')

    await runPsql(url, 'setting the search path', 'alter role pooled set search_path = lockstep;')
    await using db = await openTestPostgres(asPooled.href, { pooler: true })
    expect(await db.many(prepared)).toEqual([])
    expect(await db.transaction((tx) => tx.many(prepared))).toEqual([])
  })

  it('is opened when needed, and no lane takes more than its share', async () => {
    await using db = await openTestPostgres(url, { lanes: { api: { size: 3 } } })
    const opened = (): Record<string, number> =>
      Object.fromEntries(db.stats().map((lane) => [lane.name, lane.openCount]))
    expect(opened()).toEqual({ control: 1, work: 0, api: 0, flush: 0 })
    const slow = statement('test_slow', () => [], 'select pg_sleep(0.05)', { readOnly: true })
    await Promise.all(Array.from({ length: 30 }, () => db.lane('api').run(slow)))
    expect(opened()).toEqual({ control: 1, work: 0, api: 3, flush: 0 })
  })
})

describe('an idle transaction of a process that is stopped', () => {
  it('is ended by the server itself', async () => {
    await using db = await openTestPostgres(url, { idleInTransactionMs: 100 })
    await using watcher = await openTestPostgres(url)
    await migrate(watcher, { mode: 'auto', ...edge })
    const idle = statement<undefined, { count: number }>(
      'test_idle_count',
      () => [],
      `select count(*)::int4 as count from pg_stat_activity where state = 'idle in transaction' and datname = current_database()`,
      { readOnly: true },
    )
    const error = await errorOf(
      db.transaction(async (tx) => {
        await tx.many(prepared)
        // Our own watchdog cannot run while the loop is blocked: only the server is left to act.
        const end = performance.now() + 1_500
        while (performance.now() < end);
        await tx.many(prepared)
      }),
    )
    expect(ConnectionLost.is(error) || (error as { code: string }).code === 'DATABASE_TIMEOUT').toBe(true)
    expect((await watcher.one(idle)).count).toBe(0)
  })
})
