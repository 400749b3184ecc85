export type { IoredisClient, NodeRedisClient, RedisClient } from './connection/redis-client.ts'
export { type RedisFence, redisFence } from './fence/redis-fence.ts'
export type { RedisProviderOptions } from './redis-options.ts'
export { redisProvider } from './redis-provider.ts'
