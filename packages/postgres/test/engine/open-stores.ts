import { systemClock as clock, systemRandom as random } from '@lockstep/base'
import {
  type ClonedDatabase,
  cloneDatabase,
  type ServerHandle,
  startPostgres,
  templateDatabase,
} from '@lockstep/testing/harness'
import { type Db, migrate, openPglite, openPostgres, statement } from '../../src/index.ts'

/** A migrated database on a private server. */
export interface TestDatabase {
  readonly db: Db
  readonly url: string
  close(): Promise<void>
}

export async function openTestPostgres(): Promise<TestDatabase> {
  const server: ServerHandle = await startPostgres({ quiet: true })
  const template = await templateDatabase(server, {
    name: 'engine_store',
    quiet: true,
    migrate: async (url) => {
      await using db = await openPostgres({ url, clock, random })
      await migrate(db, { mode: 'auto', clock, random })
    },
  })
  const cloned: ClonedDatabase = await cloneDatabase(template)
  const db = await openPostgres({ url: cloned.url, clock, random })
  return {
    db,
    url: cloned.url,
    close: async () => {
      await db.close()
      await cloned.drop()
      await server.stop()
    },
  }
}

export async function openTestPglite(): Promise<Db> {
  const db = await openPglite({ memory: true, clock, random })
  await migrate(db, { mode: 'auto', clock, random })
  return db
}

const tables = statement<undefined, { name: string }>(
  'test_tables',
  () => [],
  `select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname = current_schema() and tablename not in ('migration', 'setting', 'audit_entry') order by 1`,
)

/**
 * Empties every table of the engine. Much faster than a new database, and than `truncate`, which makes new files for tables that were empty.
 * As a replica: no trigger tells of what goes, and no reference stands in the way.
 */
export async function emptyStore(db: Db): Promise<void> {
  const names = await db.many(tables)
  const deletes = names.map(({ name }) => `delete from ${name};`).join(' ')
  await db.script(`do $$ begin set local session_replication_role = replica; ${deletes} end $$`)
}
