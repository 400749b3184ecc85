import { sleep } from '@lockstep/base'
import { backoffMs } from '../connection/backoff.ts'
import type { Connection } from '../connection/connection.ts'
import { type Db, type Lane, type LaneName, laneNames } from '../db/db.ts'
import { composeDb } from '../lane/compose-db.ts'
import { greet } from '../lane/greet.ts'
import { laneOver } from '../lane/lane.ts'
import { Pool } from '../lane/pool.ts'
import type { Preparation } from '../lane/requests.ts'
import { ServerListener } from '../listen/server-listener.ts'
import { openSession } from './open-session.ts'
import { type PostgresOptions, type ResolvedPostgres, resolvePostgresOptions } from './postgres-options.ts'
import { isHopeless } from './unreachable.ts'

/** Connects to a PostgreSQL server (14 or later). Throws when it cannot be reached now; later losses mend themselves. */
export async function openPostgres(options: PostgresOptions): Promise<Db> {
  const resolved = resolvePostgresOptions(options)
  const preparation = resolved.pooler ? 'unnamed' : 'named'
  const pools: Pool[] = []
  const lanes = {} as Record<LaneName, Lane>
  for (const name of laneNames) {
    const pool = lanePool(name, resolved, preparation)
    pools.push(pool)
    lanes[name] = laneOver(pool, { ...resolved, ...resolved.lanes[name], preparation })
  }
  const listener = new ServerListener({
    ...resolved,
    open: () => openSession(resolved, resolved.lanes.control, resolved.listenAddress),
  })
  const db = composeDb({ kind: 'postgres', schema: resolved.schema, lanes, pools, listener })
  try {
    await connectFirst(pools[0]!, resolved)
  } catch (error) {
    await db.close()
    throw error
  }
  return db
}

/** A server that is just starting gets a moment; one that is not there is named. */
async function connectFirst(pool: Pool, { clock, random, acquireTimeoutMs }: ResolvedPostgres): Promise<void> {
  const deadline = clock.monotonic() + acquireTimeoutMs
  for (let failures = 0; ; failures++) {
    try {
      await pool.warm()
      return
    } catch (error) {
      if (isHopeless(error) || clock.monotonic() >= deadline) throw error
      await sleep(clock, backoffMs(failures, random))
    }
  }
}

function lanePool(name: LaneName, options: ResolvedPostgres, preparation: Preparation): Pool {
  const lane = options.lanes[name]
  const open = async (): Promise<Connection> => {
    const connection = await openSession(options, lane)
    await greet(connection, options.onConnect, preparation)
    return connection
  }
  return new Pool({ ...options, name, size: lane.size, open, isHopeless })
}
