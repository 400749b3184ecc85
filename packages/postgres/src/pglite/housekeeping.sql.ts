import { statement } from '../db/statement.ts'

/** Tables of our schema with many dead or changed rows, and how far the log has come. Reads counters only. */
export const findChores = statement<undefined, { table: string; vacuum: boolean }>(
  'housekeeping_find_chores',
  () => [],
  `select relname as table, n_dead_tup > 1000 + n_live_tup / 5 as vacuum
     from pg_stat_user_tables
    where schemaname = current_schema()
      and (n_dead_tup > 1000 + n_live_tup / 5 or n_mod_since_analyze > 500 + n_live_tup / 5)`,
  { readOnly: true },
)

export const readLogPosition = statement<undefined, { bytes: string }>(
  'housekeeping_read_log_position',
  () => [],
  `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as bytes`,
  { readOnly: true },
)
