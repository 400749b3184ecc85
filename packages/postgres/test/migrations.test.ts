import { createHash } from 'node:crypto'
import { deferred } from '@lockstep/base'
import type { ServerHandle } from '@lockstep/testing/harness'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type Db,
  type Migration,
  MigrationBlocked,
  MigrationChanged,
  migrate,
  planMigrations,
  readMigrations,
  SchemaOutdated,
  SchemaTooNew,
  sqlstateOf,
  statement,
} from '../src/index.ts'
import {
  edge,
  emptyDatabase,
  errorOf,
  openTestPglite,
  openTestPostgres,
  startTestServer,
} from './open-test-database.ts'

const auto = { mode: 'auto', ...edge } as const
const check = { mode: 'check', ...edge } as const

const first = migration(1, 'first', 'create table one (id int4)')
const second = migration(2, 'second', 'alter table one add column extra int4; create table two (id int4)')
const tables = statement<undefined, { name: string }>(
  'test_tables',
  () => [],
  `select tablename as name from pg_tables where schemaname = current_setting('search_path') order by 1`,
  { readOnly: true },
)
const applied = statement<undefined, { number: number; name: string; by: string; at: number }>(
  'test_applied',
  () => [],
  'select number, name, applied_by as by, applied_at as at from migration order by number',
  { readOnly: true },
)

function migration(number: number, name: string, sql: string): Migration {
  return { number, name: `000${number}_${name}`, sql, checksum: createHash('sha256').update(sql).digest('hex') }
}

let server: ServerHandle
let url: string
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server?.stop())
beforeEach(async () => {
  url = await emptyDatabase(server)
})

for (const [driver, open] of [
  ['postgres', () => openTestPostgres(url)],
  ['pglite', () => openTestPglite({ schema: 'migration_test' })],
] as const) {
  describe(`migrations on ${driver}`, () => {
    it('apply in order, once, and are recorded', async () => {
      await using db = await open()
      expect(await migrate(db, { ...auto, appliedBy: 'node a', migrations: [first] })).toEqual([first])
      expect(await migrate(db, { ...auto, appliedBy: 'node b', migrations: [first, second] })).toEqual([second])
      expect(await migrate(db, { ...auto, migrations: [first, second] })).toEqual([])
      expect(await db.many(applied)).toMatchObject([
        { number: 1, name: '0001_first', by: 'node a' },
        { number: 2, name: '0002_second', by: 'node b' },
      ])
    })

    it('can be looked at before they are applied, which changes nothing', async () => {
      await using db = await open()
      const plan = await planMigrations(db, [first, second])
      expect(plan).toEqual([
        { ...first, status: 'pending' },
        { ...second, status: 'pending' },
      ])
      expect(await db.many(tables)).toEqual([])
      await migrate(db, { ...auto, migrations: [first] })
      expect((await planMigrations(db, [first, second])).map((each) => each.status)).toEqual(['applied', 'pending'])
    })

    it('leave nothing of one that fails, and everything of those before it', async () => {
      await using db = await open()
      const broken = migration(2, 'second', 'create table two (id int4); create table two (id int4)')
      expect(sqlstateOf(await errorOf(migrate(db, { ...auto, migrations: [first, broken] })))).toBe('42P07')
      expect((await db.many(applied)).map((row) => row.number)).toEqual([1])
      expect(await migrate(db, { ...auto, migrations: [first, second] })).toEqual([second])
    })

    it('refuse a schema that a later version has changed', async () => {
      await using db = await open()
      await migrate(db, { ...auto, migrations: [first, second] })
      for (const options of [auto, check]) {
        const error = await errorOf(migrate(db, { ...options, migrations: [first] }))
        expect(SchemaTooNew.is(error) && error.details).toEqual({ found: 2, known: 1, schema: db.schema })
      }
    })

    it('let a node of the version before run when every newer one is declared to fit it', async () => {
      await using db = await open()
      const fits = { ...second, compatibleFrom: 1 }
      const fitsTwo = { ...migration(3, 'third', 'create table three (id int4)'), compatibleFrom: 2 }
      await migrate(db, { ...auto, migrations: [first, fits] })
      for (const options of [auto, check]) expect(await migrate(db, { ...options, migrations: [first] })).toEqual([])

      await migrate(db, { ...auto, migrations: [first, fits, fitsTwo] })
      expect(await migrate(db, { ...auto, migrations: [first, fits] })).toEqual([])
      const error = await errorOf(migrate(db, { ...auto, migrations: [first] }))
      expect(SchemaTooNew.is(error) && error.details).toEqual({ found: 3, known: 1, schema: db.schema })
    })

    it('go on from a table of an earlier version, which declares nothing', async () => {
      await using db = await open()
      await migrate(db, { ...auto, migrations: [first] })
      await db.script('alter table migration drop column compatible_from')
      const error = await errorOf(migrate(db, { ...check, migrations: [] }))
      expect(SchemaTooNew.is(error) && error.details.found).toBe(1)
      const fits = { ...second, compatibleFrom: 1 }
      expect(await migrate(db, { ...auto, migrations: [first, fits] })).toEqual([fits])
      expect(await migrate(db, { ...check, migrations: [first] })).toEqual([])
    })

    it('refuse to go on from a migration whose text has changed', async () => {
      await using db = await open()
      await migrate(db, { ...auto, migrations: [first] })
      const changed = migration(1, 'first', 'create table one (id int8)')
      for (const options of [auto, check]) {
        const error = await errorOf(migrate(db, { ...options, migrations: [changed, second] }))
        expect(MigrationChanged.is(error) && error.details.migration).toBe('0001_first')
      }
      expect((await db.many(applied)).map((row) => row.number)).toEqual([1])
    })

    it('are only asked for in mode check, and not even looked at in mode off', async () => {
      await using db = await open()
      const error = await errorOf(migrate(db, { ...check, migrations: [first, second] }))
      expect(SchemaOutdated.is(error) && error.details.pending).toEqual(['0001_first', '0002_second'])
      expect(await migrate(db, { mode: 'off', ...edge, migrations: [first] })).toEqual([])
      await migrate(db, { ...auto, migrations: [first, second] })
      expect(await migrate(db, { ...check, migrations: [first, second] })).toEqual([])
    })
  })
}

describe('migrations on a server', () => {
  it('are applied by exactly one of fifty processes that start at once', async () => {
    const known = await readMigrations()
    const starters = await Promise.all(
      Array.from({ length: 50 }, (_, index) => openTestPostgres(url, { applicationName: `starter ${index}` })),
    )
    const results = await Promise.all(
      starters.map((db, index) => migrate(db, { ...auto, appliedBy: `starter ${index}` })),
    )
    expect(
      results
        .flat()
        .map((each) => each.name)
        .sort(),
    ).toEqual(known.map((each) => each.name))
    expect((await starters[0]!.many(applied)).map((row) => row.number)).toEqual(known.map((each) => each.number))
    await Promise.all(starters.map((db) => db.close()))
  })

  it('wait for a busy table in short turns, and say so when it stays busy', async () => {
    await using db = await openTestPostgres(url)
    await using user = await openTestPostgres(url)
    await migrate(db, { ...auto, migrations: [first] })
    const release = deferred<void>()
    const isHeld = deferred<void>()
    const holding = user.transaction(async (tx) => {
      await tx.script('lock table one in access share mode')
      isHeld.resolve()
      await release.promise
    })
    await isHeld.promise
    const error = await errorOf(migrate(db, { ...auto, migrations: [first, second], lockTimeoutMs: 20 }))
    expect(MigrationBlocked.is(error) && error.retryable).toBe(true)
    release.resolve()
    await holding
    expect(await migrate(db, { ...auto, migrations: [first, second] })).toEqual([second])
  })

  it('of two schemas in one database know nothing of each other', async () => {
    await using one = await openTestPostgres(url, { schema: 'one' })
    await using two = await openTestPostgres(url, { schema: 'Two "quoted"' })
    expect(await migrate(one, { ...auto, migrations: [first] })).toEqual([first])
    expect(await migrate(two, { ...auto, migrations: [first, second] })).toEqual([first, second])
    expect((await planMigrations(one, [first, second])).map((each) => each.status)).toEqual(['applied', 'pending'])
  })
})

describe('a role that may not change the schema', () => {
  const insert = statement<string>(
    'test_insert_setting',
    (key) => [key],
    `insert into setting (key, value) values ($1, '1')`,
  )

  it('starts in mode check once the owner has migrated, and works', async () => {
    await using owner = await openTestPostgres(url)
    const asWorker = new URL(url)
    asWorker.username = 'plain_worker'
    await owner.script('drop role if exists plain_worker; create role plain_worker login')
    await using worker: Db = await openTestPostgres(asWorker.href)
    expect(SchemaOutdated.is(await errorOf(migrate(worker, check)))).toBe(true)

    await migrate(owner, auto)
    await owner.script(`
      grant usage on schema lockstep to plain_worker;
      grant select, insert, update, delete on all tables in schema lockstep to plain_worker`)
    expect(await migrate(worker, check)).toEqual([])
    expect(await migrate(worker, auto)).toEqual([])
    expect(await worker.run(insert, 'cluster')).toBe(1)
    expect(sqlstateOf(await errorOf(worker.script('create table mine (id int4)')))).toBe('42501')
  })
})

describe('the migrations of this package', () => {
  it('are numbered without gaps and begin with their name and reason', async () => {
    const known = await readMigrations()
    expect(known.map((each) => each.number)).toEqual(known.map((_, index) => index + 1))
    for (const { name, sql } of known) expect(sql.startsWith(`-- ${name}.sql  `)).toBe(true)
  })
})
