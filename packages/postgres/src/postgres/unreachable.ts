import { errorCode, errorMessage, isRetryable } from '@lockstep/base'
import { DatabaseUnreachable, type UnreachableReason } from '../db/errors.ts'
import { type DatabaseAddress, placeOf } from './parse-database-url.ts'

const reasons: Readonly<Record<string, UnreachableReason>> = {
  ECONNREFUSED: 'refused',
  ENOENT: 'refused',
  ENOTFOUND: 'unknown-host',
  EAI_AGAIN: 'unknown-host',
  ETIMEDOUT: 'no-answer',
  EHOSTUNREACH: 'no-answer',
  ENETUNREACH: 'no-answer',
  '28P01': 'authentication',
  '28000': 'authentication',
  '3D000': 'no-database',
  '57P03': 'not-ready',
  '53300': 'not-ready',
}

const fixes: Readonly<Record<UnreachableReason, string>> = {
  refused: 'Is the server running there? Check host and port of the database URL',
  'unknown-host': 'Check the host name in the database URL',
  'no-answer': 'Check host and port of the database URL, and firewalls on the way',
  authentication: 'Check user and password of the database URL, and pg_hba.conf on the server',
  'no-database': 'Create the database, or correct its name in the database URL',
  'not-ready':
    'The server is starting, stopping or has no free connection: try again, or give it more (max_connections)',
  failed: 'See the cause',
}

/** No amount of trying again helps before somebody changes something. */
const hopeless: ReadonlySet<UnreachableReason> = new Set(['authentication', 'no-database'])

/** Turns what a failed connect threw into the error of the catalogue. */
export function unreachable(address: DatabaseAddress, error: unknown): Error {
  const message = messageOf(error)
  const reason = reasonOf(error, message)
  return new DatabaseUnreachable({ place: placeOf(address), reason, message, fix: fixes[reason] }, { cause: error })
}

export function isHopeless(error: unknown): boolean {
  return DatabaseUnreachable.is(error) ? hopeless.has(error.details.reason) : !isRetryable(error)
}

function reasonOf(error: unknown, message: string): UnreachableReason {
  const known = reasons[errorCode(error) ?? '']
  if (known !== undefined) return known
  if (message.includes('timeout expired')) return 'no-answer'
  if (message.includes('password must be a string') || message.includes('password must be a non-empty string'))
    return 'authentication'
  return 'failed'
}

/** A name with several addresses fails with several errors and an empty message. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(errorMessage).join('; ')
  return errorMessage(error)
}
