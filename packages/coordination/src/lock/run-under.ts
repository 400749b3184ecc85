import { errorMessage, type Logger } from '@lockstep/base'

/** What running under a lease needs of it. */
export interface RunLease {
  readonly name: string
  /** Why it is not held any more, when it was lost. */
  readonly lostBy: Error | undefined
  release(): Promise<'released' | 'lost'>
}

/**
 * Runs `work`, then releases. What `work` throws is what the caller gets: a lease that was lost besides, or a release that
 * failed, is logged. When `work` ended well but the lease was lost before, that is an error: the work was not alone.
 */
export async function runUnder<L extends RunLease, T>(
  lease: L,
  logger: Logger,
  work: (lease: L) => Promise<T> | T,
): Promise<T> {
  let value: T
  try {
    value = await work(lease)
  } catch (error) {
    await endQuietly(lease, logger)
    if (lease.lostBy !== undefined && lease.lostBy !== error) {
      logger.warn('work failed, and its lease was lost', { name: lease.name, error: errorMessage(lease.lostBy) })
    }
    throw error
  }
  // A release that cannot reach the store says nothing against the work: by local time the lease was ours to the end.
  if ((await endQuietly(lease, logger)) === 'lost') throw lease.lostBy
  return value
}

async function endQuietly(lease: RunLease, logger: Logger): Promise<'released' | 'lost' | undefined> {
  try {
    return await lease.release()
  } catch (error) {
    logger.warn('release failed; it is tried again until the lease has ended', {
      name: lease.name,
      error: errorMessage(error),
    })
    return undefined
  }
}
