import { startRedis } from '@lockstep/testing/harness'

/** A private Redis that writes nothing to disk: an upper bound for whatever runs on it. */
export async function openRedisServer() {
  const server = await startRedis()
  return {
    url: server.url,
    get pids() {
      return [server.pid]
    },
    stop: () => server.stop(),
  }
}
