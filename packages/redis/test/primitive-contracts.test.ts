import { fenceCheckerContract, primitiveContracts } from '@lockstep/testing/contracts'
import { type ServerHandle, startRedis } from '@lockstep/testing/harness'
import { afterAll, beforeAll } from 'vitest'
import { redisFence } from '../src/index.ts'
import { harnessOn, openClient } from './open-test-redis.ts'

let server: ServerHandle
beforeAll(async () => {
  server = await startRedis({ quiet: true })
})
afterAll(() => server?.stop())

primitiveContracts(
  'redis',
  harnessOn(() => server),
)

fenceCheckerContract('redis', async () => {
  const client = await openClient(server.url)
  await client.flushAll()
  const fence = redisFence(client)
  return {
    write: (resource, held, value) => fence.set(resource, value, held),
    read: async (resource) => (await client.get(resource)) ?? undefined,
    close: async () => client.destroy(),
  }
})
