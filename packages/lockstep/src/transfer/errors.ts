import { defineError } from '@lockstep/base'

export const MoveTargetNotEmpty = defineError(
  'MOVE_TARGET_NOT_EMPTY',
  { retryable: false },
  (d: { tables: readonly string[] }) =>
    `The target has rows already (${d.tables.slice(0, 5).join(', ')}${d.tables.length > 5 ? ', …' : ''}): name an empty database`,
)

export const MoveMismatch = defineError(
  'MOVE_MISMATCH',
  { retryable: false },
  (d: { table: string; from: string; to: string }) =>
    `Table ${d.table} arrived differently (${d.from} there, ${d.to} here): nothing was moved`,
)

export const BackupDamaged = defineError(
  'BACKUP_DAMAGED',
  { retryable: false },
  (d: { file: string; reason: string }) => `${d.file} cannot be restored: ${d.reason}`,
)

export const WouldOverwrite = defineError(
  'WOULD_OVERWRITE',
  { retryable: false },
  (d: { path: string; advice: string }) => `${d.path} is there already: ${d.advice}`,
)
