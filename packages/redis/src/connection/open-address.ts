import { createClient } from '@redis/client'
import type { RedisAddress } from '../redis-options.ts'
import type { OpenConnection } from './connection.ts'
import { openNodeRedis } from './open-node-redis.ts'
import type { NodeRedisClient } from './redis-client.ts'

const CONNECT_TIMEOUT_MS = 2_000

/** Connections of our own (ADR 0003). The client neither reconnects nor queues: `Link` and its callers decide that. */
export function openAddress({ host, port, database, username, password, tls }: RedisAddress): OpenConnection {
  const wire = { host, port, connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: false as const }
  return openNodeRedis(
    () =>
      createClient({
        socket: tls === undefined ? wire : { ...tls, ...wire, tls: true as const },
        database,
        ...(username === undefined ? {} : { username }),
        ...(password === undefined ? {} : { password }),
        name: 'lockstep',
        disableClientInfo: true,
        disableOfflineQueue: true,
        maintNotifications: 'disabled',
        commandOptions: { timeout: 0 },
      }) as unknown as NodeRedisClient,
  )
}
