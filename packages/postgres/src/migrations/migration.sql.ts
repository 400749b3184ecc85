import { statement } from '../db/statement.ts'

export interface AppliedRow {
  readonly number: number
  readonly name: string
  readonly checksum: string
  readonly compatibleFrom: number | null
}

/** Whether any migration ever ran here. Reads the catalogue only. */
export const findMigrationTable = statement<undefined, { found: boolean }>(
  'migration_find_table',
  () => [],
  `select to_regclass('migration') is not null as found`,
  { readOnly: true },
)

export const findSchema = statement<{ schema: string }, { found: boolean }>(
  'migration_find_schema',
  (p) => [p.schema],
  `select exists (select from pg_namespace where nspname = $1) as found`,
  { readOnly: true },
)

/** All rows; there are as many as migrations. Through JSON: the table of an earlier version lacks the last column. */
export const listApplied = statement<undefined, AppliedRow>(
  'migration_list_applied',
  () => [],
  `select number, name, checksum, (to_jsonb(m) ->> 'compatible_from')::int4 as "compatibleFrom"
     from migration m order by number`,
  { readOnly: true },
)

/** Makes starters queue: one applies, the others then find nothing to do. Held until the transaction ends. */
export const takeTurn = statement<{ schema: string }>(
  'migration_take_turn',
  (p) => [`lockstep:migrate:${p.schema}`],
  `select pg_advisory_xact_lock(hashtextextended($1, 0))`,
)

/** 0 waits for ever. Lasts until the transaction ends. */
export const limitLockWait = statement<{ ms: number }>(
  'migration_limit_lock_wait',
  (p) => [p.ms],
  `select set_config('lock_timeout', $1, true)`,
)

export const recordApplied = statement<AppliedRow & { appliedBy: string }>(
  'migration_record_applied',
  (p) => [p.number, p.name, p.checksum, p.appliedBy, p.compatibleFrom],
  `insert into migration (number, name, checksum, applied_by, compatible_from) values ($1, $2, $3, $4, $5)`,
)
