import { type Clock, errorMessage, type Logger, type Timer } from '@lockstep/base'
import { quoteIdentifier } from '../connection/session.ts'
import type { Lane } from '../db/db.ts'
import { runAlone } from '../lane/lane.ts'
import type { Pool } from '../lane/pool.ts'
import * as sql from './housekeeping.sql.ts'

/** How far the log may grow before what it holds is written to the tables and it can be used again. */
const CHECKPOINT_AFTER_BYTES = 32 * 1024 * 1024
/** However long it takes, stopping it half way would only make it begin again. */
const NO_LIMIT = 0

/**
 * What background processes do on a server: PGlite has none, so without this dead rows and the log only ever grow, and
 * the planner never learns the size of a table. Answers a function that stops it.
 */
export function keepHouse(
  pool: Pool,
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
      await runAlone(
        pool,
        { name: 'housekeeping', text: `${vacuum ? 'vacuum (analyze)' : 'analyze'} ${quoteIdentifier(table)}` },
        NO_LIMIT,
      )
    }
    const written = Number((await lane.one(sql.readLogPosition)).bytes)
    if (isStopped || written - checkpointAt < CHECKPOINT_AFTER_BYTES) return
    await runAlone(pool, { name: 'housekeeping', text: 'checkpoint' }, NO_LIMIT)
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
