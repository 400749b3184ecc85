import { systemClock, systemRandom } from '@lockstep/base'
import type { CoordinationProvider } from '@lockstep/coordination'
import type { CoordinationHarness, OpenCoordination } from '@lockstep/testing/contracts'
import type { ServerHandle } from '@lockstep/testing/harness'
import { createClient } from '@redis/client'
import { type RedisProviderOptions, redisProvider } from '../src/index.ts'

/** With the machine's clock, and patient while it connects: the machine may be busy. */
export function openProvider(options: Partial<RedisProviderOptions>): CoordinationProvider {
  return redisProvider({ clock: systemClock, random: systemRandom, connectGraceMs: 10_000, ...options })
}

/** A plain client, to look at what is in the store. */
export async function openClient(url: string) {
  const client = createClient({ url })
  client.on('error', () => {})
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: async () => client.destroy() })
}

export async function keysOf(url: string): Promise<string[]> {
  await using client = await openClient(url)
  return (await client.keys('*')).sort()
}

/** One server for a file of tests; each harness begins with an empty one. */
export function harnessOn(server: () => ServerHandle): OpenCoordination {
  return async (): Promise<CoordinationHarness> => {
    const { url } = server()
    await server().start()
    {
      await using client = await openClient(url)
      await client.flushAll()
    }
    const opened: CoordinationProvider[] = []
    const open = (prefix?: string): CoordinationProvider => {
      const provider = openProvider({ url, ...(prefix === undefined ? {} : { prefix }) })
      opened.push(provider)
      return provider
    }
    return {
      provider: open(),
      clock: systemClock,
      time: 'real',
      another: async ({ namespace } = {}) => open(namespace),
      elapse: (ms) => new Promise((resolve) => void systemClock.schedule(ms, resolve, { keepAlive: true })),
      crash: () => server().kill9(),
      restart: () => server().start(),
      async flush() {
        await using client = await openClient(url)
        await client.flushAll()
      },
      leftovers: () => keysOf(url),
      close: async () => void (await Promise.all(opened.map((provider) => provider.close()))),
    }
  }
}
