import type { Clock, Logger, Random } from '@lockstep/base'
import {
  type Db,
  type DbMeter,
  engineSettings,
  type HistoryGuard,
  lanesFor,
  migrate,
  openPglite,
  openPostgres,
} from '@lockstep/postgres'
import type { NodeOptions } from './options/node-options.ts'

export interface Edge {
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
}

/** Opens the store that the options name and brings its schema up to date. Nothing stays open when it fails. */
export async function openDatabase(
  options: NodeOptions,
  guard: HistoryGuard,
  application: string,
  edge: Edge,
  meter?: DbMeter,
  onOpened: () => void = () => {},
): Promise<Db> {
  const { clock, random } = edge
  const logger = edge.logger.area('database')
  const db =
    options.databaseUrl === undefined
      ? await openPglite({ dataDir: options.dataDir, settings: engineSettings, clock, random, logger, meter })
      : await openPostgres({
          url: options.databaseUrl,
          applicationName: application,
          clock,
          random,
          logger,
          lanes: lanesFor(options.databasePool),
          meter,
          onConnect: guard.check,
        })
  onOpened()
  try {
    const applied = await migrate(db, { mode: options.migrate, clock, random, appliedBy: application, logger })
    if (applied.length > 0) logger.info('schema brought up to date', { migrations: applied.length })
    return db
  } catch (error) {
    await db.close()
    throw error
  }
}
