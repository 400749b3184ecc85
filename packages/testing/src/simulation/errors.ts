import { defineError } from '@lockstep/base'

/** The same code as the PostgreSQL store's: errors are compared by code. */
export const ConnectionLost = defineError(
  'CONNECTION_LOST',
  { retryable: true },
  (d: { statement: string; reason: string }) =>
    `The simulated connection was lost at "${d.statement}" (${d.reason}). Nothing was committed`,
)

/** The same code and details as the PostgreSQL store's: a constraint or a foreign key said no. */
export const DatabaseRefused = defineError(
  'DATABASE_REFUSED',
  { retryable: false },
  (d: { sqlstate: string; message: string; statement: string; constraint?: string }) =>
    `The simulated database refused "${d.statement}": ${d.message} (${d.sqlstate})`,
)

export const UNIQUE_VIOLATION = '23505'
