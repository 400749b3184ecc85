import { MigrationChanged, SchemaTooNew } from '../db/errors.ts'
import type { Queries } from '../db/queries.ts'
import * as sql from './migration.sql.ts'
import { type Migration, readMigrations } from './migration-files.ts'

export interface PlannedMigration extends Migration {
  readonly status: 'applied' | 'pending'
}

/**
 * What `migrate` would do, without doing it: needs no right but to read. Throws `SCHEMA_TOO_NEW` when a later version
 * was here, `MIGRATION_CHANGED` when a file differs from what was applied.
 */
export async function planMigrations(
  db: Queries & { readonly schema: string },
  migrations?: readonly Migration[],
): Promise<readonly PlannedMigration[]> {
  return plan(db, db.schema, migrations ?? (await readMigrations()))
}

/** The same inside a transaction that may go on to apply. */
export async function plan(
  queries: Queries,
  schema: string,
  known: readonly Migration[],
): Promise<readonly PlannedMigration[]> {
  const applied = new Map((await listApplied(queries)).map((row) => [row.number, row]))
  const newest = Math.max(0, ...applied.keys())
  const newestKnown = known.at(-1)?.number ?? 0
  if (newest > newestKnown) throw new SchemaTooNew({ found: newest, known: newestKnown, schema })
  return known.map((migration) => {
    const row = applied.get(migration.number)
    if (row === undefined) return { ...migration, status: 'pending' }
    if (row.checksum !== migration.checksum) {
      throw new MigrationChanged({ migration: migration.name, applied: row.checksum, found: migration.checksum })
    }
    return { ...migration, status: 'applied' }
  })
}

async function listApplied(queries: Queries): Promise<readonly sql.AppliedRow[]> {
  const { found } = await queries.one(sql.findMigrationTable)
  return found ? queries.many(sql.listApplied) : []
}
