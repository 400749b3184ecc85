import {
  healthProviderContract,
  leaseProviderContract,
  lockRegistryContract,
  memberProviderContract,
} from '@lockstep/testing/contracts'
import { type ServerHandle, startRedis } from '@lockstep/testing/harness'
import { afterAll, beforeAll } from 'vitest'
import { harnessOn } from './open-test-redis.ts'

let server: ServerHandle
beforeAll(async () => {
  server = await startRedis()
})
afterAll(() => server.stop())

const open = harnessOn(() => server)
leaseProviderContract('redis', open)
lockRegistryContract('redis', open)
memberProviderContract('redis', open)
healthProviderContract('redis', open)
