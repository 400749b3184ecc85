import { resolve } from 'node:path'
import { isRetryable } from '@lockstep/base'
import type { Connection } from '../connection/connection.ts'
import { openConnection } from '../connection/open-connection.ts'
import { applySettings, sessionSettings } from '../connection/session.ts'
import type { Db, Lane } from '../db/db.ts'
import { composeDb } from '../lane/compose-db.ts'
import { greet } from '../lane/greet.ts'
import { laneOver } from '../lane/lane.ts'
import { Pool } from '../lane/pool.ts'
import { SessionListener } from '../listen/session-listener.ts'
import { EmbeddedServer } from './embedded-server.ts'
import { lockFolder } from './folder-lock.ts'
import { keepHouse } from './housekeeping.ts'
import { type PgliteOptions, type ResolvedPglite, resolvePgliteOptions } from './pglite-options.ts'
import { findSnapshot } from './snapshot.ts'

/**
 * Opens the database inside this process: PostgreSQL compiled to WebAssembly, in a worker thread, on a folder that
 * belongs to this process while it is open. One session serves every lane: statements are pipelined over it, a
 * transaction has it for itself. Survives kill -9, not a power cut.
 */
export async function openPglite(options: PgliteOptions): Promise<Db> {
  const resolved = resolvePgliteOptions(options)
  const { dataDir, clock, random, schema } = resolved
  const folder = dataDir === undefined ? undefined : resolve(dataDir)
  const lock = folder === undefined ? undefined : await lockFolder(folder, clock, random)
  const unlock = (): void => lock?.release()
  try {
    const snapshot = resolved.useSnapshot ? await findSnapshot(schema) : undefined
    const server = new EmbeddedServer({ ...resolved, folder, snapshot })
    await server.start()
    return await compose(resolved, server, unlock)
  } catch (error) {
    unlock()
    throw error
  }
}

async function compose(options: ResolvedPglite, server: EmbeddedServer, unlock: () => void): Promise<Db> {
  const listener: SessionListener = new SessionListener(() => lane, options.logger)
  const pool = new Pool({
    ...options,
    name: 'embedded',
    size: 1,
    open: () => openSession(options, server, listener),
    // A statement of the last session that still runs is worth waiting for; files that cannot be read are not.
    isHopeless: (error) => !isRetryable(error),
  })
  const lane: Lane = laneOver(pool, { ...options, preparation: 'named' })
  const db = composeDb({
    kind: 'pglite',
    schema: options.schema,
    lanes: { control: lane, work: lane, api: lane, flush: lane },
    pools: [pool],
    listener,
    stop: keepHouse(pool, lane, options),
    async end() {
      await server.close()
      unlock()
    },
  })
  try {
    // The first statements of a new engine are slow: nobody should run into a limit because of them.
    await pool.warm()
    return db
  } catch (error) {
    await db.close()
    throw error
  }
}

async function openSession(
  options: ResolvedPglite,
  server: EmbeddedServer,
  listener: SessionListener,
): Promise<Connection> {
  const stream = await server.attach()
  const connection = await openConnection(
    { stream: () => stream, user: 'postgres', database: 'postgres' },
    options.clock,
  )
  connection.limitMs = options.statementTimeoutMs
  await applySettings(connection, sessionSettings(options))
  await listener.adopt(connection)
  await greet(connection, options.onConnect, 'named')
  return connection
}
