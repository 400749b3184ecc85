import { hostname } from 'node:os'
import { type CoordinationProvider, type Coordinator, coordinator, memoryProvider } from '@lockstep/coordination'
import { type Db, postgresCoordination } from '@lockstep/postgres'
import { redisProvider } from '@lockstep/redis'
import type { Edge } from './open-database.ts'
import type { NodeOptions } from './options/node-options.ts'

/**
 * Where schedulers elect a leader the toolkit is open on every node all the time: it asks the store less often then. Holders that died are
 * told as stale later, and a message that was lost costs more; hand-overs are told by message as ever.
 */
const ALWAYS_OPEN = { memberTtlMs: 60_000, askAgainMs: 8_000 }

/** The toolkit of one node, on the store that its options name. */
export function openLocks(options: NodeOptions, edge: Edge, db: Db): Coordinator {
  const { lockTtlMs: ttlMs, lockWaitMs: waitMs, nodeName } = options
  return coordinator({
    ...edge,
    logger: edge.logger.area('locks'),
    provider: providerOf(options, edge, db),
    ownsProvider: true,
    name: nodeName ?? `${hostname()}:${process.pid}`,
    ttlMs,
    waitMs,
    ...(options.scheduler === 'leader' ? ALWAYS_OPEN : {}),
  })
}

function providerOf({ locks, redisUrl, redisPrefix }: NodeOptions, edge: Edge, db: Db): CoordinationProvider {
  switch (locks) {
    case 'redis':
      return redisProvider({ url: redisUrl ?? '', prefix: redisPrefix, ...edge })
    case 'postgres':
      return postgresCoordination(db, edge)
    case 'memory':
      return memoryProvider({ clock: edge.clock })
  }
}
