import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { statement } from '@lockstep/postgres'
import { cloneDatabase, type ServerHandle, startPostgres } from '@lockstep/testing/harness'
import { describe, expect, inject, it } from 'vitest'
import { outerDatabases } from '../../packages/lockstep/src/outside/outer-databases.ts'
import { openEmbeddedEngine, openTestEngine, type TestEngine } from '../engine/open-test-engine.ts'
import { oneStep, retried } from './one-step.ts'

const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
const rows = statement<readonly [], { id: number }>(
  'test_accounts',
  () => [],
  'select id from public.account order by id',
)
const table = 'create table public.account (id int primary key, owner text, data jsonb, tags text[])'

describe.each([
  ['PostgreSQL', openTestEngine],
  ['the embedded store', openEmbeddedEngine],
])('sql-query on %s', (_, open) => {
  const opened = async (): Promise<TestEngine> => {
    const t = await open({ outbound: { ownDatabase: true } })
    await t.db.script(table)
    return t
  }

  it('writes and reads with bound values only', async () => {
    await using t = await opened()
    const insert = 'insert into account values ($1, $2, $3, $4) returning id, owner, data, tags'
    const parameters = [1, { $expr: 'input.owner' }, { a: [1] }, ['x', 'y']]
    await t.publish(oneStep('open-account', 'sql-query', { query: insert, parameters }))
    const owner = `Bobby'); drop table account; --`
    expect(await t.run('open-account', { owner })).toMatchObject({
      output: { output: { count: 1, rows: [{ id: 1, owner, data: { a: [1] }, tags: ['x', 'y'] }] } },
    })
    await t.publish(
      oneStep('types', 'sql-query', {
        query: `select 1::bigint as big, 1.5::numeric as num, 'a'::bytea as bytes, null as no, true as yes, timestamptz '1970-01-01 00:00:01+00' as at, 'NaN'::float8 as nan`,
      }),
    )
    expect(await t.run('types')).toMatchObject({
      output: {
        output: { rows: [{ big: '1', num: '1.5', bytes: 'YQ==', no: null, yes: true, at: 1_000, nan: 'NaN' }] },
      },
    })
  })

  it('commits with its step, and not at all when the step fails', async () => {
    await using t = await opened()
    const insert = 'insert into account (id) select * from generate_series(1, $1::int) returning id'
    await t.publish(oneStep('fill', 'sql-query', { query: insert, parameters: [{ $expr: 'input' }], maxRows: 3 }))
    expect(await t.run('fill', 4)).toMatchObject({ output: { error: { code: 'TOO_MANY_ROWS' } } })
    expect(await t.db.many(rows, [])).toEqual([])
    expect(await t.run('fill', 3)).toMatchObject({ output: { output: { count: 3 } } })
    expect(await t.run('fill', 3)).toMatchObject({
      output: { error: { code: 'SQL_REFUSED', data: { sqlstate: '23505' } } },
    })
    expect(await t.db.many(rows, [])).toHaveLength(3)
  })

  it('fails with the state that the database gives, and disturbs nothing else', async () => {
    await using t = await opened()
    const cases = [
      ['select 1 / 0', '22012'],
      ['select * from nowhere', '42P01'],
      ['selec 1', undefined],
      ['select 1; select 2', undefined],
      ['commit', undefined],
      ['select $1::int', '08P01'],
    ] as const
    for (const [query, sqlstate] of cases) {
      const document = oneStep(`bad-${cases.findIndex(([each]) => each === query)}`, 'sql-query', { query })
      if (sqlstate === undefined) {
        await expect(t.publish(document)).rejects.toMatchObject({ code: 'DEFINITION_INVALID' })
        continue
      }
      await t.publish(document)
      const { output } = await t.run(document.id)
      expect([query, output]).toMatchObject([query, { error: { code: 'SQL_REFUSED' } }])
      if (sqlstate !== '08P01') expect(output).toMatchObject({ error: { data: { sqlstate } } })
    }
    await t.publish(oneStep('good', 'sql-query', { query: 'select 1 as one' }))
    expect(await t.run('good')).toMatchObject({ output: { output: { rows: [{ one: 1 }] } } })
  })

  it('reads no more than it may, of a query without an end', async () => {
    await using t = await opened()
    const query = 'with recursive n (n) as (select 1 union all select n + 1 from n) select n from n'
    await t.publish(oneStep('endless', 'sql-query', { query, maxRows: 5 }))
    expect(await t.run('endless')).toMatchObject({ output: { error: { code: 'TOO_MANY_ROWS' } } })
  })
})

describe('sql-query', () => {
  it('is shut out of the database of the engine unless an operator says otherwise', async () => {
    await using t = await openTestEngine()
    const query = `update lockstep.local_user set role = 'admin'`
    await t.publish(oneStep('rise', 'sql-query', { query }))
    expect(await t.run('rise')).toMatchObject({
      output: {
        error: {
          code: 'OUTBOUND_NOT_CONFIGURED',
          message: expect.stringContaining('set LOCKSTEP_SQL_OWN_DATABASE=on'),
        },
      },
    })
  })

  it('never reaches the database of the engine from another tenant', async () => {
    await using t = await openTestEngine({ outbound: { ownDatabase: true } })
    await t.engine.definitions.create('acme', oneStep('look', 'sql-query', { query: 'select 1' }))
    await t.engine.definitions.publish('acme', 'look')
    const { instanceId } = await t.engine.start({ tenant: 'acme', definitionId: 'look' })
    expect(await t.engine.waitForEnd(instanceId, { tenant: 'acme', limitMs: 60_000 })).toMatchObject({
      output: { error: { code: 'OUTBOUND_NOT_CONFIGURED', message: expect.stringContaining('another tenant') } },
    })
  })

  it('runs on another database, which the step names', async () => {
    const other = await cloneDatabase(inject('postgres'))
    const connections = outerDatabases({ reports: other.url }, edge)
    {
      await using t = await openTestEngine({ outbound: { connections } })
      const where = { connection: 'reports' }
      await t.publish(oneStep('name', 'sql-query', { query: 'select current_database() as name', ...where }))
      const here = await t.db.many(
        statement<readonly [], { name: string }>('test_name', () => [], 'select current_database() as name'),
        [],
      )
      const { output } = await t.run('name')
      expect(output).toMatchObject({ output: { count: 1 } })
      expect(output).not.toMatchObject({ output: { rows: here } })
      await t.publish(oneStep('bad', 'sql-query', { query: 'select 1 / $1::int', parameters: [0], ...where }))
      expect(await t.run('bad')).toMatchObject({
        output: { error: { code: 'SQL_REFUSED', data: { sqlstate: '22012', connection: 'reports' } } },
      })
      await t.publish(oneStep('unknown', 'sql-query', { query: 'select 1', connection: 'nope' }))
      expect(await t.run('unknown')).toMatchObject({
        output: { error: { code: 'OUTBOUND_NOT_CONFIGURED', message: expect.stringContaining('known: reports') } },
      })
    }
    await connections.close()
    await other.drop()
  })

  it('fails until the other database is back, and nothing else is disturbed', async () => {
    const server: ServerHandle = await startPostgres({ quiet: true })
    const connections = outerDatabases({ reports: server.url }, edge)
    {
      await using t = await openTestEngine({ outbound: { connections } })
      await t.publish(oneStep('ask', 'sql-query', { query: 'select 1 as one', connection: 'reports' }, retried(1_000)))
      expect(await t.run('ask')).toMatchObject({ output: { output: { count: 1 } } })
      await server.kill9()
      const { instanceId } = await t.engine.start({ definitionId: 'ask' })
      const failures = async () => (await t.engine.journal(instanceId)).filter(({ kind }) => kind === 'retrying')
      while ((await failures()).length < 2) await new Promise((resolve) => setTimeout(resolve, 20))
      expect(await failures()).toMatchObject([{ data: { error: { code: 'SQL_UNAVAILABLE' } } }, {}])
      await server.start()
      expect(await t.engine.waitForEnd(instanceId, { limitMs: 60_000 })).toMatchObject({
        output: { output: { count: 1 } },
      })
    }
    await connections.close()
    await server.stop()
  })
})
