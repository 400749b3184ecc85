import { errorCode } from '@lockstep/base'

export type BrokenKind = 'lost' | 'timeout' | 'idle-in-transaction'

/** A connection that is gone. What it means for a statement depends on what had been sent: see `outcome.ts`. */
export class Broken extends Error {
  readonly kind: BrokenKind

  constructor(kind: BrokenKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'Broken'
    this.kind = errorCode(cause) === IDLE_IN_TRANSACTION ? 'idle-in-transaction' : kind
  }
}

const IDLE_IN_TRANSACTION = '25P03'

/** Session ended by an administrator, by a crash, by a shutdown, with its database, or for being idle. */
const endings = new Set(['57P01', '57P02', '57P03', '57P04', '57P05', IDLE_IN_TRANSACTION])

/** Whether the server's error is its last word on this connection. */
export function endsConnection(error: object): boolean {
  const severity = 'severity' in error ? error.severity : undefined
  return severity === 'FATAL' || severity === 'PANIC' || endings.has(errorCode(error) ?? '') || !isServerError(error)
}

/** Five characters and a severity: only the server's own errors have both. */
export function isServerError(error: unknown): error is ServerError {
  return error instanceof Error && 'severity' in error && errorCode(error)?.length === 5
}

export interface ServerError extends Error {
  readonly code: string
  readonly constraint?: string
  readonly routine?: string
}
