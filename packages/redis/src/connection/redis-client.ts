import type { EventEmitter } from 'node:events'

/** What is used of a client of `@redis/client` (or `redis`), version 4 or later. */
export interface NodeRedisClient extends Pick<EventEmitter, 'on' | 'off'> {
  readonly isReady: boolean
  connect(): Promise<unknown>
  destroy(): void
  duplicate(overrides?: object): NodeRedisClient
  sendCommand(args: readonly string[], options?: object): Promise<unknown>
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>
  unsubscribe(channel: string): Promise<unknown>
}

/** What is used of a client of `ioredis`, version 5 or later. */
export interface IoredisClient extends Pick<EventEmitter, 'on' | 'off'> {
  readonly status: string
  connect(): Promise<unknown>
  disconnect(reconnect?: boolean): void
  duplicate(overrides?: object): IoredisClient
  call(command: string, ...args: string[]): Promise<unknown>
  subscribe(channel: string): Promise<unknown>
  unsubscribe(channel: string): Promise<unknown>
}

/** A client of your own: of `@redis/client`, `redis` or `ioredis`. */
export type RedisClient = NodeRedisClient | IoredisClient

export function isIoredis(client: RedisClient): client is IoredisClient {
  return 'call' in client && !('sendCommand' in client && 'isReady' in client)
}
