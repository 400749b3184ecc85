import type { OpenConnection } from './connection.ts'
import { openIoredis } from './open-ioredis.ts'
import { openNodeRedis } from './open-node-redis.ts'
import { isIoredis, type RedisClient } from './redis-client.ts'

/** Connections with the settings of a client that was handed in, but without its reconnecting: `Link` does that. */
export function openCopy(client: RedisClient): OpenConnection {
  if (isIoredis(client)) {
    const once = { lazyConnect: true, retryStrategy: () => null, enableOfflineQueue: false, autoResubscribe: false }
    return openIoredis(() => client.duplicate(once))
  }
  const { socket } = (client as { readonly options?: { readonly socket?: object } }).options ?? {}
  return openNodeRedis(() =>
    client.duplicate({ socket: { ...socket, reconnectStrategy: false }, disableOfflineQueue: true }),
  )
}
