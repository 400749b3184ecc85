import {
  type CoordinationProvider,
  type Coordinator,
  coordinator,
  memoryProvider,
  type Tracer,
} from '@lockstep/coordination'
import { type Db, postgresCoordination } from '@lockstep/postgres'
import type { Drivers } from './load-drivers.ts'
import { logLeases } from './log/log-leases.ts'
import { nodeNameOf } from './node-name.ts'
import type { Edge } from './open-database.ts'
import type { NodeOptions } from './options/node-options.ts'

/**
 * Where schedulers elect a leader the toolkit is open on every node all the time: it asks the store less often then. Holders that died are
 * told as stale later, and a message that was lost costs more; hand-overs are told by message as ever.
 */
const ALWAYS_OPEN = { memberTtlMs: 60_000, askAgainMs: 8_000 }

/** The toolkit of one node, on the store that its options name. */
export function openLocks(
  options: NodeOptions,
  edge: Edge,
  db: Db,
  drivers: Drivers,
  tracer: Tracer | undefined,
): Coordinator {
  const { lockTtlMs: ttlMs, lockWaitMs: waitMs } = options
  const logger = edge.logger.area('locks')
  const opened = coordinator({
    ...edge,
    logger,
    provider: providerOf(options, edge, db, drivers),
    ownsProvider: true,
    name: nodeNameOf(options),
    ttlMs,
    waitMs,
    ...(tracer && { tracer }),
    ...(options.scheduler === 'leader' ? ALWAYS_OPEN : {}),
  })
  opened.observe(logLeases(logger))
  return opened
}

function providerOf(
  { locks, redisUrl, redisPrefix }: NodeOptions,
  edge: Edge,
  db: Db,
  { redis }: Drivers,
): CoordinationProvider {
  switch (locks) {
    case 'redis':
      return redis().redisProvider({ url: redisUrl ?? '', prefix: redisPrefix, ...edge })
    case 'postgres':
      return postgresCoordination(db, edge)
    case 'memory':
      return memoryProvider({ clock: edge.clock })
  }
}
