import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  cloneDatabase,
  runPsql,
  type ServerHandle,
  ServerMissing,
  SqlFailed,
  startPostgres,
  templateDatabase,
} from '../../src/harness/index.ts'
import { openPsql } from '../../src/harness/psql.ts'
import { own } from './own.ts'

const packageFolder = fileURLToPath(new URL('../..', import.meta.url))
const query = (url: string, sql: string): Promise<string[]> => runPsql(url, 'testing', sql)

describe('template databases', () => {
  let pg: ServerHandle
  beforeAll(async () => {
    pg = await startPostgres(own)
  })
  afterAll(() => pg.stop())

  const migrate = async (url: string): Promise<void> => {
    await query(url, `create table item (name text); insert into item values ('from the template');`)
  }

  it('gives every clone the migrated state and a life of its own', async () => {
    const template = await templateDatabase(pg, { name: 'isolated', migrate, quiet: true })
    expect(template).toEqual({ adminUrl: pg.url, template: 'isolated' })
    const [a, b, c] = await Promise.all([
      cloneDatabase(template),
      cloneDatabase(pg, 'isolated'),
      cloneDatabase(pg.url, 'isolated'),
    ])
    await query(a.url, `insert into item values ('only in a');`)
    await query(b.url, 'drop table item;')
    expect(await query(a.url, 'select name from item order by name;')).toEqual(['from the template', 'only in a'])
    expect(await query(c.url, 'select name from item;')).toEqual(['from the template'])
    expect(await query((await cloneDatabase(template)).url, 'select name from item;')).toEqual(['from the template'])
  })

  it('migrates once, however many processes ask at the same time', async () => {
    const ask = async (): Promise<string> => {
      const code = `
        import { cloneDatabase, runPsql, templateDatabase } from '@lockstep/testing/harness'
        const migrate = async (url) => {
          await runPsql(process.env.ADMIN_URL, 'counting', 'insert into migration default values;')
          await runPsql(url, 'migrating', 'create table item (name text);')
        }
        const template = await templateDatabase(process.env.ADMIN_URL, { name: 'shared', migrate, quiet: true })
        const { url } = await cloneDatabase(JSON.parse(JSON.stringify(template)))
        console.log((await runPsql(url, 'looking', 'select count(*) from item;')).join())`
      const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
        cwd: packageFolder,
        env: { ...process.env, ADMIN_URL: pg.url },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
      return output.trim()
    }
    await query(pg.url, 'create table migration (at timestamptz default now());')
    expect(await Promise.all([ask(), ask(), ask()])).toEqual(['0', '0', '0'])
    expect(await query(pg.url, 'select count(*) from migration;')).toEqual(['1'])
  })

  it('makes no template of a migration that failed, and tries again when asked again', async () => {
    const failing = async (url: string): Promise<void> => {
      await query(url, 'create table half (done boolean);')
      throw new Error('no luck')
    }
    await expect(templateDatabase(pg, { name: 'retried', migrate: failing, quiet: true })).rejects.toThrow('no luck')
    const databases = `select datname from pg_database where datname like 'retried%';`
    expect(await query(pg.url, databases)).toEqual([])
    await templateDatabase(pg, { name: 'retried', migrate, quiet: true })
    expect(await query(pg.url, databases)).toEqual(['retried'])
  })

  it('clears away the draft of a process that was killed while it migrated', async () => {
    await query(pg.url, 'create database orphaned__draft;')
    await templateDatabase(pg, { name: 'orphaned', migrate, quiet: true })
    expect(await query(pg.url, `select datname from pg_database where datname like 'orphaned%';`)).toEqual(['orphaned'])
  })

  it('clones a template although its migration left a session open', async () => {
    let left: ReturnType<typeof openPsql> | undefined
    const leaky = async (url: string): Promise<void> => {
      left = openPsql(url, 'idling')
      await left.query('select 1;')
    }
    const template = await templateDatabase(pg, { name: 'leaky', migrate: leaky, quiet: true })
    const clone = await cloneDatabase(template)
    expect(await query(clone.url, 'select 1;')).toEqual(['1'])
    await left?.close()
  })

  it('drops a clone that is in use, and dropping it again is no error', async () => {
    const template = await templateDatabase(pg, { name: 'dropped', migrate, quiet: true })
    const clone = await cloneDatabase(template)
    const session = openPsql(clone.url, 'idling')
    await session.query('select 1;')
    await clone.drop()
    await clone.drop()
    await session.close()
    expect(await query(pg.url, `select 1 from pg_database where datname = '${clone.name}';`)).toEqual([])
  })

  it('says what PostgreSQL said when a clone cannot be made', async () => {
    const failure = await cloneDatabase(pg, 'nonesuch').catch((error: unknown) => error)
    expect(SqlFailed.is(failure) && failure.message).toMatch(/template database "nonesuch" does not exist/)
  })

  it('refuses a name that would need quoting', async () => {
    await expect(templateDatabase(pg, { name: 'a"b', migrate, quiet: true })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
    })
  })

  it('names the package to install when there is no psql', async () => {
    const cloning = cloneDatabase({ adminUrl: pg.url, template: 'isolated' }, { locate: () => undefined })
    const failure = await cloning.catch((error: unknown) => error)
    expect(ServerMissing.is(failure) && failure.details.packages).toEqual(['postgresql-client'])
  })
})
