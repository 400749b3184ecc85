import { defineError } from '@lockstep/base'

export const ConnectionLost = defineError(
  'CONNECTION_LOST',
  { retryable: true },
  (d: { statement: string; reason: string }) =>
    `The database connection was lost at "${d.statement}" (${d.reason}). Nothing was committed; the call can be repeated`,
)

export const CommitUnknown = defineError(
  'COMMIT_UNKNOWN',
  { retryable: false },
  (d: { statement: string; reason: string }) =>
    `The answer to "${d.statement}" never came (${d.reason}). It may or may not have been committed: look before repeating it`,
)

export const DatabaseBusy = defineError(
  'DATABASE_BUSY',
  { retryable: true },
  (d: { lane: string; waitedMs: number; size: number; openCount: number }) =>
    `No connection of lane "${d.lane}" (${d.openCount} of ${d.size} open) became free within ${d.waitedMs} ms`,
)

export const DatabaseTimeout = defineError(
  'DATABASE_TIMEOUT',
  { retryable: true },
  (d: { statement: string; reason: string }) => `"${d.statement}" took too long and was rolled back: ${d.reason}`,
)

export type UnreachableReason =
  | 'refused'
  | 'unknown-host'
  | 'no-answer'
  | 'authentication'
  | 'no-database'
  | 'not-ready'
  | 'failed'

export const DatabaseUnreachable = defineError(
  'DATABASE_UNREACHABLE',
  { retryable: true },
  (d: { place: string; reason: UnreachableReason; message: string; fix: string }) =>
    `Cannot use the database at ${d.place}: ${d.message}. ${d.fix}`,
)

export const DatabaseRefused = defineError(
  'DATABASE_REFUSED',
  { retryable: false },
  (d: { sqlstate: string; message: string; statement: string; constraint?: string }) =>
    `The database refused "${d.statement}": ${d.message} (${d.sqlstate})`,
)

export const DatabaseClosed = defineError(
  'DATABASE_CLOSED',
  { retryable: false },
  (d: { statement: string }) => `"${d.statement}" came after the database was closed`,
)

export const UnexpectedRowCount = defineError(
  'UNEXPECTED_ROW_COUNT',
  { retryable: false },
  (d: { statement: string; expected: string; found: number }) =>
    `"${d.statement}" answered ${d.found} rows instead of ${d.expected}`,
)

export const SchemaTooNew = defineError(
  'SCHEMA_TOO_NEW',
  { retryable: false },
  (d: { found: number; known: number; schema: string }) =>
    `Schema "${d.schema}" is at migration ${d.found}, this version knows up to ${d.known}. Upgrade this node`,
)

export const SchemaOutdated = defineError(
  'SCHEMA_OUTDATED',
  { retryable: false },
  (d: { pending: readonly string[]; schema: string }) =>
    `Schema "${d.schema}" lacks ${d.pending.join(', ')}. Apply the migrations with a role that may change the schema, or start with mode "auto"`,
)

export const ClusterNameMismatch = defineError(
  'CLUSTER_NAME_MISMATCH',
  { retryable: false },
  (d: { name: string; found: string }) =>
    `This database belongs to cluster "${d.found}", and this node is of cluster "${d.name}". Set LOCKSTEP_CLUSTER_NAME=${d.found}, or name another database`,
)

export const MigrationChanged = defineError(
  'MIGRATION_CHANGED',
  { retryable: false },
  (d: { migration: string; applied: string; found: string }) =>
    `Migration ${d.migration} was applied with other contents (checksum ${d.applied.slice(0, 12)}, now ${d.found.slice(0, 12)}). Restore the file; a change needs a new migration`,
)

export const MigrationBlocked = defineError(
  'MIGRATION_BLOCKED',
  { retryable: true },
  (d: { migration: string; attempts: number; lockTimeoutMs: number }) =>
    `Migration ${d.migration} could not get its locks within ${d.lockTimeoutMs} ms, ${d.attempts} times. Try again when long transactions on its tables have ended`,
)

export const DataFolderInUse = defineError(
  'DATA_FOLDER_IN_USE',
  { retryable: false },
  (d: { folder: string; pid: number; startedAt: string; host: string; lockFile: string }) =>
    `Data folder ${d.folder} is in use by process ${d.pid} on ${d.host}, opened at ${d.startedAt}. Stop that process, or choose another folder (delete ${d.lockFile} only when that process is surely gone)`,
)

export const DataFolderUnreadable = defineError(
  'DATA_FOLDER_UNREADABLE',
  { retryable: false },
  (d: { folder: string; message: string }) =>
    `Data folder ${d.folder} cannot be opened: ${d.message}. Check that it exists, belongs to this user and was written by the same version`,
)

/** The SQLSTATE of a refused statement: `23505` for a unique violation, `55P03` for a lock that was not granted in time. */
export function sqlstateOf(error: unknown): string | undefined {
  return DatabaseRefused.is(error) ? error.details.sqlstate : undefined
}
