import { randomBytes } from 'node:crypto'
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { redisBus } from '@lockstep/redis'
import { wakeBusContract } from '@lockstep/testing/contracts'
import { type ServerHandle, startRedis } from '@lockstep/testing/harness'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openClient } from '../../packages/redis/test/open-test-redis.ts'
import { busFaults } from './bus-faults.ts'

let server: ServerHandle
beforeAll(async () => {
  server = await startRedis({ quiet: true })
})
afterAll(() => server?.stop())

const newPrefix = (): string => `t${randomBytes(6).toString('hex')}`
const connect = (prefix: string) =>
  redisBus({ url: server.url, prefix, clock: systemClock, random: systemRandom, logger: silentLogger })

wakeBusContract('Redis', async () => {
  const prefix = newPrefix()
  return { connect: () => connect(prefix), close: async () => undefined }
})

busFaults(
  () => server,
  () => connect('faults'),
)

it('takes what a stranger sends on its channel for topics, and nothing worse', async () => {
  const bus = await connect('stranger')
  const heard: string[] = []
  bus.subscribe((topic) => heard.push(topic))
  await using client = await openClient(server.url)
  for (const text of ['', ',,', 'twice,twice', '{"a":1}', 'x'.repeat(100_000), 'last'])
    await client.publish('stranger:{bus}:wake', text)
  await expect.poll(() => heard.at(-1), { timeout: 60_000 }).toBe('last')
  expect(heard.filter((topic) => topic === 'twice')).toHaveLength(2)
  await bus.close()
})
