import { MigrationChanged, SchemaTooNew } from '../db/errors.ts'
import type { Queries } from '../db/queries.ts'
import * as sql from './migration.sql.ts'
import { type Migration, readMigrations } from './migration-files.ts'

export interface PlannedMigration extends Migration {
  readonly status: 'applied' | 'pending'
}

/**
 * What `migrate` would do, without doing it: needs no right but to read. Throws `SCHEMA_TOO_NEW` when a later version
 * was here whose migrations do not let this one go on, `MIGRATION_CHANGED` when a file differs from what was applied.
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
  refuseTooNew([...applied.values()], known.at(-1)?.number ?? 0, schema)
  return known.map((migration) => {
    const row = applied.get(migration.number)
    if (row === undefined) return { ...migration, status: 'pending' }
    if (row.checksum !== migration.checksum) {
      throw new MigrationChanged({ migration: migration.name, applied: row.checksum, found: migration.checksum })
    }
    return { ...migration, status: 'applied' }
  })
}

/** During a rolling deploy the new version migrates first: what only expands the schema does not keep the old one out. */
function refuseTooNew(applied: readonly sql.AppliedRow[], known: number, schema: string): void {
  const newer = applied.filter((row) => row.number > known)
  if (newer.every(({ compatibleFrom }) => compatibleFrom !== null && compatibleFrom <= known)) return
  throw new SchemaTooNew({ found: Math.max(...newer.map((row) => row.number)), known, schema })
}

async function listApplied(queries: Queries): Promise<readonly sql.AppliedRow[]> {
  const { found } = await queries.one(sql.findMigrationTable)
  return found ? queries.many(sql.listApplied) : []
}
