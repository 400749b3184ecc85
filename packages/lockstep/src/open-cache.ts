import { type RedisCache, redisCache } from '@lockstep/redis'
import type { Edge } from './open-database.ts'
import type { NodeOptions } from './options/node-options.ts'

/** What the nodes read for each other; absent: each for itself. */
export function openCache(
  { cache, redisUrl = '', redisPrefix: prefix }: NodeOptions,
  edge: Edge,
): RedisCache | undefined {
  if (cache === 'memory') return undefined
  return redisCache({ ...edge, logger: edge.logger.area('cache'), url: redisUrl, prefix })
}
