import { ProviderUnavailable } from '@lockstep/coordination'
import {
  CommitUnknown,
  ConnectionLost,
  DatabaseBusy,
  DatabaseClosed,
  DatabaseTimeout,
  DatabaseUnreachable,
  sqlstateOf,
} from '../db/errors.ts'

const outOfReach = [ConnectionLost, CommitUnknown, DatabaseBusy, DatabaseTimeout, DatabaseUnreachable, DatabaseClosed]
/** Deadlock and serialisation failure: undone, and worth another try. */
const tryAgain = new Set(['40P01', '40001'])
/** The server is there and cannot serve: locked for too long, read-only (a replica), full, out of memory or of connections, stopping. */
const cannotServe = /^(55P03|25006|53|57P|58)/
const MOST_ATTEMPTS = 3

/**
 * Runs a call whose repetition is harmless. Whatever leaves its outcome unknown, or says that it cannot be had now, is
 * `PROVIDER_UNAVAILABLE`; anything else is a mistake of ours and stays what it is.
 */
export async function orRefuse<T>(doing: string, call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call()
    } catch (error) {
      const sqlstate = sqlstateOf(error) ?? ''
      if (tryAgain.has(sqlstate) && attempt < MOST_ATTEMPTS) continue
      if (tryAgain.has(sqlstate) || cannotServe.test(sqlstate) || outOfReach.some((each) => each.is(error)))
        throw new ProviderUnavailable({ provider: 'PostgreSQL', doing }, { cause: error })
      throw error
    }
  }
}
