import { abortable } from '@lockstep/base'
import type { OpenConnection } from './connection.ts'
import type { IoredisClient } from './redis-client.ts'

/** Connections of `ioredis`. `make` answers a new client that does not connect by itself and does not reconnect. */
export function openIoredis(make: () => IoredisClient): OpenConnection {
  return async (onLost, signal) => {
    const client = make()
    const listeners = new Map<string, (message: string) => void>()
    let isOpen = false
    let lastError: unknown
    client.on('error', (error) => {
      lastError = error
    })
    client.on('end', () => {
      if (!isOpen) return
      isOpen = false
      onLost(lastError)
    })
    client.on('message', (channel: string, message: string) => listeners.get(channel)?.(message))
    try {
      await abortable(client.connect(), signal)
    } catch (error) {
      client.disconnect()
      throw lastError ?? error
    }
    isOpen = true
    return {
      send: ([command = '', ...args]) => client.call(command, ...args),
      async subscribe(channel, listener) {
        listeners.set(channel, listener)
        await client.subscribe(channel)
      },
      async unsubscribe(channel) {
        listeners.delete(channel)
        await client.unsubscribe(channel)
      },
      close() {
        isOpen = false
        client.disconnect()
      },
    }
  }
}
