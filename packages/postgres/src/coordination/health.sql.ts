import { statement } from '../db/statement.ts'

export interface ServerFacts {
  readonly at: number
  readonly version: string
  readonly recovering: boolean
  readonly readOnly: boolean
  readonly synchronousCommit: string
  readonly fsync: string
  readonly standbys: string
  readonly migrated: boolean
}

/** Reads settings and the catalogue only. */
export const facts = statement<undefined, ServerFacts>(
  'coordination_facts',
  () => [],
  `select extract(epoch from clock_timestamp())::float8 * 1000 as at, current_setting('server_version') as version,
          pg_is_in_recovery() as recovering, current_setting('transaction_read_only') = 'on' as "readOnly",
          current_setting('synchronous_commit') as "synchronousCommit", current_setting('fsync') as fsync,
          current_setting('synchronous_standby_names') as standbys, to_regclass('lease_lock') is not null as migrated`,
  { readOnly: true },
)
