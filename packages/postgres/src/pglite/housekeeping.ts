import { type Clock, errorMessage, type Logger, type Timer } from '@lockstep/base'
import { quoteIdentifier } from '../connection/session.ts'
import type { Lane } from '../db/db.ts'
import * as sql from './housekeeping.sql.ts'

/** How far the log may grow before what it holds is written to the tables and it can be used again. */
const CHECKPOINT_AFTER_BYTES = 32 * 1024 * 1024

/**
 * What background processes do on a server: PGlite has none, so without this dead rows and the log only ever grow, and
 * the planner never learns the size of a table. Answers a function that stops it.
 */
export function keepHouse(
  lane: Lane,
  options: { clock: Clock; logger: Logger; housekeepingEveryMs: number },
): () => Promise<void> {
  const { clock, logger, housekeepingEveryMs } = options
  let checkpointAt = 0
  let isStopped = false
  let running = Promise.resolve()
  let timer: Timer | undefined

  const round = async (): Promise<void> => {
    for (const { table, vacuum } of await lane.many(sql.findChores)) {
      if (isStopped) return
      await lane.script(`${vacuum ? 'vacuum (analyze)' : 'analyze'} ${quoteIdentifier(table)}`)
    }
    const written = Number((await lane.one(sql.readLogPosition)).bytes)
    if (isStopped || written - checkpointAt < CHECKPOINT_AFTER_BYTES) return
    await lane.script('checkpoint')
    checkpointAt = written
  }
  const schedule = (): void => {
    timer = clock.schedule(housekeepingEveryMs, () => {
      running = round().catch((error: unknown) =>
        logger.warn('housekeeping was put off', { reason: errorMessage(error) }),
      )
      void running.then(() => isStopped || schedule())
    })
  }

  schedule()
  return async () => {
    isStopped = true
    timer?.cancel()
    await running
  }
}
