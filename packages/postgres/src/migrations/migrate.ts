import { type Clock, type Logger, type Random, silentLogger, sleep } from '@lockstep/base'
import { backoffMs } from '../connection/backoff.ts'
import { quoteIdentifier } from '../connection/session.ts'
import type { Db } from '../db/db.ts'
import { MigrationBlocked, SchemaOutdated, sqlstateOf } from '../db/errors.ts'
import type { Queries } from '../db/queries.ts'
import * as sql from './migration.sql.ts'
import { type Migration, readMigrations } from './migration-files.ts'
import { planMigrations, plan as planWithin } from './plan-migrations.ts'

/** `auto` applies what is pending, `check` refuses to go on when something is, `off` trusts the operator. */
export type MigrationMode = 'auto' | 'check' | 'off'

export interface MigrateOptions {
  readonly mode: MigrationMode
  readonly clock: Clock
  readonly random: Random
  readonly logger?: Logger
  /** Kept in the table, for whoever wonders later. @default 'lockstep' */
  readonly appliedBy?: string
  /** How long a migration may wait for a busy table before it lets go and tries again. @default 3_000 */
  readonly lockTimeoutMs?: number
  /** @default the files of this package */
  readonly migrations?: readonly Migration[]
}

const MOST_ATTEMPTS = 5
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Brings the schema to this version. Any number of processes may call it at once: they take turns, one applies, the
 * others find nothing to do. Answers the migrations that this call applied.
 */
export async function migrate(db: Db, options: MigrateOptions): Promise<readonly Migration[]> {
  const { mode, migrations = await readMigrations(), logger = silentLogger } = options
  if (mode === 'off') return []
  const plan = await planMigrations(db, migrations)
  const pending = migrations.filter((_, index) => plan[index]?.status === 'pending')
  if (pending.length === 0) return []
  if (mode === 'check') throw new SchemaOutdated({ pending: pending.map((each) => each.name), schema: db.schema })
  const applied: Migration[] = []
  for (const next of pending) {
    if (!(await applyPatiently(db, next, migrations, options))) continue
    logger.info('applied a migration', { migration: next.name })
    applied.push(next)
  }
  return applied
}

/** Waits with the door open: between two attempts nobody is kept from the table by our queued lock. */
async function applyPatiently(
  db: Db,
  next: Migration,
  known: readonly Migration[],
  options: MigrateOptions,
): Promise<boolean> {
  const { clock, random, lockTimeoutMs = 3_000, appliedBy = 'lockstep' } = options
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.lane('control').transaction((tx) => apply(tx, db.schema, next, known, lockTimeoutMs, appliedBy), {
        statementTimeoutMs: 0,
      })
    } catch (error) {
      if (sqlstateOf(error) !== LOCK_NOT_AVAILABLE) throw error
      if (attempt === MOST_ATTEMPTS)
        throw new MigrationBlocked({ migration: next.name, attempts: attempt, lockTimeoutMs }, { cause: error })
      await sleep(clock, backoffMs(attempt + 2, random))
    }
  }
}

async function apply(
  tx: Queries,
  schema: string,
  next: Migration,
  known: readonly Migration[],
  lockTimeoutMs: number,
  appliedBy: string,
): Promise<boolean> {
  await tx.run(sql.limitLockWait, { ms: 0 })
  await tx.run(sql.takeTurn, { schema })
  await tx.run(sql.limitLockWait, { ms: lockTimeoutMs })
  await prepareSchema(tx, schema)
  const status = (await planWithin(tx, schema, known)).find((each) => each.number === next.number)?.status
  if (status !== 'pending') return false
  await tx.script(next.sql)
  await tx.run(sql.recordApplied, { ...next, appliedBy, compatibleFrom: next.compatibleFrom ?? null })
  return true
}

async function prepareSchema(tx: Queries, schema: string): Promise<void> {
  if (!(await tx.one(sql.findSchema, { schema })).found) await tx.script(`create schema ${quoteIdentifier(schema)}`)
  await tx.script(`create table if not exists migration (
    number     int primary key,
    name       text not null,
    checksum   text not null,
    applied_at timestamptz not null default now(),
    applied_by text not null
  );
  alter table migration add column if not exists compatible_from int4`)
}
