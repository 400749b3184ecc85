import { abortable } from '@lockstep/base'
import type { OpenConnection } from './connection.ts'
import type { NodeRedisClient } from './redis-client.ts'

/** Our own watch over silence is cheaper than a timer for each command. */
const NO_TIMER = { timeout: 0 }

/** Connections of `@redis/client`. `make` answers a new client that does not reconnect. */
export function openNodeRedis(make: () => NodeRedisClient): OpenConnection {
  return async (onLost, signal) => {
    const client = make()
    let isOpen = false
    let lastError: unknown
    const end = (): void => {
      if (!isOpen) return
      isOpen = false
      onLost(lastError)
    }
    client.on('error', (error) => {
      lastError = error
      end()
    })
    client.on('end', end)
    client.on('terminated', end)
    try {
      await abortable(client.connect(), signal)
    } catch (error) {
      client.destroy()
      throw error
    }
    isOpen = true
    return {
      send: (args) => client.sendCommand(args, NO_TIMER),
      subscribe: async (channel, listener) => void (await client.subscribe(channel, listener)),
      unsubscribe: async (channel) => void (await client.unsubscribe(channel)),
      close() {
        isOpen = false
        client.destroy()
      },
    }
  }
}
