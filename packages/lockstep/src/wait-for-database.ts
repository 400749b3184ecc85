/** A node that starts before its database waits for it: whatever starts both together need not care for the order. */
import { type Clock, errorMessage, type Logger, sleep } from '@lockstep/base'
import { DatabaseUnreachable, type UnreachableReason } from '@lockstep/postgres'

export interface DatabaseWait {
  /** 0: it is not waited for. */
  readonly waitMs: number
  readonly clock: Clock
  readonly logger: Logger
  /** Aborts while it is waited for, with its reason. */
  readonly signal?: AbortSignal | undefined
}

/** A node and its database may be started together. Probes of our manifests wait for twice as long, that of the image for longer. */
export const DATABASE_WAIT_MS = 60_000
const PAUSE_MS = 250
/** These pass by themselves. A wrong password, a database or a schema that is not there need somebody. */
const PASSING: ReadonlySet<UnreachableReason> = new Set(['refused', 'unknown-host', 'no-answer', 'not-ready'])

/** Repeats `open` while the database is away. When the time is over, or somebody is needed, it fails as `open` did. */
export async function waitForDatabase<T>(
  open: () => Promise<T>,
  { waitMs, clock, logger, signal }: DatabaseWait,
): Promise<T> {
  const began = clock.monotonic()
  for (let isWaiting = false; ; isWaiting = true) {
    try {
      const opened = await open()
      if (isWaiting) logger.info('the database answers', { waitedMs: Math.round(clock.monotonic() - began) })
      return opened
    } catch (error) {
      if (!isAway(error) || clock.monotonic() - began >= waitMs) throw error
      if (!isWaiting) logger.warn('waiting for the database', { reason: errorMessage(error), longestMs: waitMs })
      await sleep(clock, PAUSE_MS, signal)
    }
  }
}

/** A proxy before a server that is not up yet takes the connection and ends it. */
const isAway = (error: unknown): boolean =>
  DatabaseUnreachable.is(error) &&
  (PASSING.has(error.details.reason) || /terminated unexpectedly|ECONNRESET/.test(error.details.message))
