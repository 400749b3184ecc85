import type { RedisCache } from '@lockstep/redis'
import type { Drivers } from './load-drivers.ts'
import type { Edge } from './open-database.ts'
import type { NodeOptions } from './options/node-options.ts'

/** What the nodes read for each other; absent: each for itself. */
export function openCache(
  { cache, redisUrl = '', redisPrefix: prefix }: NodeOptions,
  edge: Edge,
  { redis }: Drivers,
): RedisCache | undefined {
  if (cache === 'memory') return undefined
  return redis().redisCache({ ...edge, logger: edge.logger.area('cache'), url: redisUrl, prefix })
}
