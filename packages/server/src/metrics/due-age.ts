/**
 * How long the first of what is due has waited for somebody to take it. It is asked of the store when metrics are read, whatever the node does itself: where
 * no worker is left, nobody else would tell. The answer holds for some seconds, so that nobody who asks often costs the store more.
 */
import { type Clock, errorMessage, type Logger, withTimeout } from '@lockstep/base'
import type { OldestDue } from '@lockstep/engine/ports'
import type { Sample } from './exposition.ts'

const HOLDS_MS = 5_000
/** Other metrics do not wait for a store that is away. */
const LONGEST_MS = 1_000

export interface DueAgeOptions {
  readonly read: () => Promise<OldestDue>
  readonly clock: Clock
  readonly logger: Logger
}

/** No sample: the store did not say. */
export function dueAge({ read, clock, logger }: DueAgeOptions): () => Promise<readonly Sample[]> {
  let asked: Promise<OldestDue | undefined> = Promise.resolve(undefined)
  let askedAt = Number.NEGATIVE_INFINITY
  let isAsking = false

  const ask = async (): Promise<OldestDue | undefined> => {
    askedAt = clock.monotonic()
    isAsking = true
    try {
      return await read()
    } catch (error) {
      logger.debug('the age of what is due was not read', { reason: errorMessage(error) })
      return undefined
    } finally {
      isAsking = false
    }
  }
  return async () => {
    if (!isAsking && clock.monotonic() - askedAt >= HOLDS_MS) asked = ask()
    const found = await withTimeout(clock, LONGEST_MS, 'the age of what is due', asked).catch(() => undefined)
    if (found === undefined) return []
    return [
      { labels: { queue: 'default' }, value: found.graphsMs / 1_000 },
      { labels: { queue: 'functions' }, value: found.functionsMs / 1_000 },
    ]
  }
}
