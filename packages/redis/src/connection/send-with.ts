import { isIoredis, type RedisClient } from './redis-client.ts'

/** Sends commands through a client that was handed in. */
export function sendWith(client: RedisClient): (args: readonly string[]) => Promise<unknown> {
  if (isIoredis(client)) return ([command = '', ...args]) => client.call(command, ...args)
  return (args) => client.sendCommand(args)
}

export function isReady(client: RedisClient): boolean {
  return isIoredis(client) ? client.status === 'ready' : client.isReady
}
