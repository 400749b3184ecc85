import { errorMessage } from '@lockstep/base'
import { CommitUnknown, ConnectionLost, DatabaseRefused, DatabaseTimeout } from '../db/errors.ts'
import { Broken, isServerError, type ServerError } from './broken.ts'

const QUERY_CANCELED = '57014'

/** What may have become of a statement whose connection broke. */
export type Fate = 'rolled-back' | 'unknown'

/** The error of the catalogue for anything `Connection.send` rejects with. */
export function outcomeOf(error: unknown, statement: string, fate: Fate): unknown {
  if (error instanceof Broken) return brokenOutcome(error, statement, fate)
  if (isServerError(error)) return refusal(error, statement)
  return error
}

function brokenOutcome(broken: Broken, statement: string, fate: Fate): Error {
  const details = { statement, reason: broken.message }
  if (fate === 'unknown') return new CommitUnknown(details, { cause: broken })
  if (broken.kind === 'lost') return new ConnectionLost(details, { cause: broken })
  return new DatabaseTimeout(details, { cause: broken })
}

function refusal(error: ServerError, statement: string): Error {
  const message = errorMessage(error)
  if (error.code === QUERY_CANCELED) return new DatabaseTimeout({ statement, reason: message }, { cause: error })
  return new DatabaseRefused(
    {
      sqlstate: error.code,
      message,
      statement,
      ...(error.constraint === undefined ? {} : { constraint: error.constraint }),
    },
    { cause: error },
  )
}

/**
 * The session does not have the statement prepared after all (its preparation, sent just before, was refused), or has a
 * plan for tables that were changed since. Either way the statement did not run, and runs when sent without a name.
 */
export function isStalePreparation(error: unknown): boolean {
  return isServerError(error) && (error.code === '26000' || isStalePlan(error))
}

/** A plan that this session would fail with again and again. */
export function isStalePlan(error: unknown): boolean {
  return isServerError(error) && error.code === '0A000' && error.routine === 'RevalidateCachedQuery'
}
