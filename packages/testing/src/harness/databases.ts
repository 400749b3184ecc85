import { randomBytes } from 'node:crypto'
import { InvalidOption } from '@lockstep/base'
import { progressTo, stopwatch } from './progress.ts'
import { openPsql, type PsqlOptions, type PsqlSession, runPsql } from './psql.ts'

/** A migrated database that clones are made from. Plain data: hand it to worker processes as it is. */
export interface TemplateDatabase {
  /** Names a database of the same server in which other databases may be created. */
  readonly adminUrl: string
  readonly template: string
}

export interface TemplateOptions extends PsqlOptions {
  /** Lower case letters, digits and underscores. Give another migration state another name. */
  readonly name: string
  /** Brings an empty database up to date. Called by one process only, however many ask for the template at once. */
  readonly migrate: (url: string) => Promise<void>
  /** Print no progress on stderr. @default false */
  readonly quiet?: boolean
}

export interface ClonedDatabase extends AsyncDisposable {
  readonly url: string
  readonly name: string
  /** Ends all its sessions and removes it. Dropping a dropped one is no error. */
  drop(): Promise<void>
}

/** A handle of `startPostgres`, or the URL of any server. */
export type PostgresAt = string | { readonly url: string }

/**
 * Prepares a template once per server. The name appears by a rename when all is done: a process killed on the way
 * leaves a draft, which the next one clears away, and never a template that is half migrated.
 */
export async function templateDatabase(server: PostgresAt, options: TemplateOptions): Promise<TemplateDatabase> {
  const { name, migrate, quiet = false } = options
  if (!/^[a-z][a-z0-9_]{0,30}$/.test(name)) {
    throw new InvalidOption({
      option: 'name',
      rule: 'at most 31 lower case letters, digits and underscores',
      value: name,
    })
  }
  const adminUrl = urlOf(server)
  const session = openPsql(adminUrl, `preparing the template database "${name}"`, options)
  try {
    await session.query(`select pg_advisory_lock(hashtextextended('lockstep template ${name}', 0));`)
    const existing = await session.query(`select 1 from pg_database where datname = '${name}';`)
    if (existing.length === 0) {
      const took = stopwatch()
      await build(session, adminUrl, name, migrate)
      progressTo(quiet)(`PostgreSQL: template database "${name}" migrated in ${took()}`)
    }
  } finally {
    await session.close()
  }
  return { adminUrl, template: name }
}

async function build(
  session: PsqlSession,
  adminUrl: string,
  name: string,
  migrate: TemplateOptions['migrate'],
): Promise<void> {
  const draft = `${name}__draft`
  const discard = `drop database if exists ${draft} with (force);`
  await session.query(`${discard}\ncreate database ${draft};`)
  try {
    await migrate(databaseUrl(adminUrl, draft))
  } catch (error) {
    await session.query(discard)
    throw error
  }
  // A template with a session in it cannot be cloned; whatever the migration left open is closed, for good.
  await session.query(`
    alter database ${draft} with allow_connections false;
    select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${draft}';
    alter database ${draft} rename to ${name};`)
}

/** Makes a database of its own for a test, from a template. Any process may, any number at once. */
export function cloneDatabase(template: TemplateDatabase, options?: PsqlOptions): Promise<ClonedDatabase>
export function cloneDatabase(server: PostgresAt, template: string, options?: PsqlOptions): Promise<ClonedDatabase>
export function cloneDatabase(
  source: TemplateDatabase | PostgresAt,
  template?: string | PsqlOptions,
  options?: PsqlOptions,
): Promise<ClonedDatabase> {
  if (typeof template === 'string') return clone(urlOf(source as PostgresAt), template, options)
  const described = source as TemplateDatabase
  return clone(described.adminUrl, described.template, template)
}

async function clone(adminUrl: string, template: string, options: PsqlOptions = {}): Promise<ClonedDatabase> {
  const name = `${template}_${randomBytes(6).toString('hex')}`
  // PostgreSQL 14 knows one way only and has no word for it.
  const sql = `
    select :SERVER_VERSION_NUM >= 150000 as choosable \\gset
    \\if :choosable
    create database "${name}" template "${template}" strategy wal_log;
    \\else
    create database "${name}" template "${template}";
    \\endif`
  await runPsql(adminUrl, `cloning the database "${template}"`, sql, options)
  const drop = async (): Promise<void> => {
    const statement = `drop database if exists "${name}" with (force);`
    await runPsql(adminUrl, `dropping the database "${name}"`, statement, options)
  }
  return { url: databaseUrl(adminUrl, name), name, drop, [Symbol.asyncDispose]: drop }
}

function urlOf(server: PostgresAt): string {
  return typeof server === 'string' ? server : server.url
}

function databaseUrl(adminUrl: string, name: string): string {
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  return url.href
}
