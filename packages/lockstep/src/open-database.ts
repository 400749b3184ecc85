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
import { waitForDatabase } from './wait-for-database.ts'

export interface Edge {
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
}

export interface Opening {
  readonly meter?: DbMeter | undefined
  /** It is there; its schema comes next. */
  readonly onOpened?: () => void
  /** How long a PostgreSQL that is away is waited for. @default 0 */
  readonly waitMs?: number
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined
}

/** Opens the store that the options name and brings its schema up to date. Nothing stays open when it fails. */
export async function openDatabase(
  options: NodeOptions,
  guard: HistoryGuard,
  application: string,
  edge: Edge,
  { meter, onOpened = () => {}, waitMs = 0, signal }: Opening = {},
): Promise<Db> {
  const { clock, random } = edge
  const logger = edge.logger.area('database')
  const { databaseUrl: url, databasePool, dataDir } = options
  const lanes = lanesFor(databasePool)
  const reach = (url: string): Promise<Db> =>
    openPostgres({
      ...{ url, clock, random, logger, lanes, meter },
      applicationName: application,
      onConnect: guard.check,
    })
  const db =
    url === undefined
      ? await openPglite({ dataDir, settings: engineSettings, clock, random, logger, meter })
      : await waitForDatabase(() => reach(url), { waitMs, clock, logger, signal })
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
