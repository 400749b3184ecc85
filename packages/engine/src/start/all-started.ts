import { errorCode } from '@lockstep/base'
import { DatabaseUnreachable, StartUnclear } from '../commit/errors.ts'
import { unclearStart } from '../commit/queued-start.ts'
import type { StartItem } from '../store/commit-store.ts'
import { Fenced } from '../store/errors.ts'
import type { StartedInstance } from './start-request.ts'

/**
 * The answers to many starts, once all are decided: who hears that the database or this node is away may take it that nothing was started.
 * `isPartly`: some of them are written already.
 */
export async function allStarted(
  items: readonly StartItem[],
  starts: readonly (StartedInstance | Promise<StartedInstance>)[],
  isPartly = false,
): Promise<readonly StartedInstance[]> {
  const settled = await Promise.allSettled(starts)
  const refused = settled.filter((each) => each.status === 'rejected').map(({ reason }) => reason as unknown)
  if (refused.length === 0) return settled.map((each) => (each as PromiseFulfilledResult<StartedInstance>).value)
  // What can never be started is said first: repeating the call would not help.
  const hopeless = refused.find((error) => !isAway(error) && !StartUnclear.is(error))
  if (hopeless !== undefined) throw hopeless
  const unclear = refused.find((error) => StartUnclear.is(error))
  if (unclear === undefined && refused.length === starts.length && !isPartly) throw refused[0]
  throw unclearStart(items, unclear ?? refused[0])
}

/** Others of the same call are written. */
export function partlyStarted(items: readonly StartItem[], error: unknown): unknown {
  return isAway(error) ? unclearStart(items, error) : error
}

/** Of the database or of this node: it says nothing against the start, which was not written. */
const isAway = (error: unknown): boolean => errorCode(error) === DatabaseUnreachable.code || Fenced.is(error)
