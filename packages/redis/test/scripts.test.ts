import { type ServerHandle, startRedis } from '@lockstep/testing/harness'
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as scripts from '../src/scripts/scripts.generated.ts'
import { openClient, openProvider } from './open-test-redis.ts'
import { fenceOf, mutex } from './requests.ts'

let server: ServerHandle
beforeAll(async () => {
  server = await startRedis()
})
afterAll(() => server.stop())

it('gives every script the hash that the server gives it', async () => {
  await using client = await openClient(server.url)
  for (const { name, sha, text } of Object.values(scripts))
    expect([name, await client.scriptLoad(text)]).toEqual([name, sha])
})

it('loads a script that the server forgot, however many calls are under way, and runs each once', async () => {
  await using client = await openClient(server.url)
  const provider = openProvider({ url: server.url })
  for (let round = 0; round < 5; round += 1) {
    const locks = Array.from({ length: 200 }, (_, i) => mutex(`lock ${i}`))
    const taken = locks.map(async (lock, i) => {
      if (i % 20 === 0) await client.scriptFlush()
      return fenceOf((await provider.leases.acquire([lock])).answers[0])
    })
    expect(new Set(await Promise.all(taken)).size).toBe(200)
    const flush = client.scriptFlush()
    const ended = await Promise.all(locks.map((lock) => provider.leases.release([lock])))
    await flush
    expect(new Set(ended.flatMap(({ answers }) => answers))).toEqual(new Set(['released']))
  }
  await provider.close()
})

it('asks for every key that a script touches', async () => {
  // A user of the server that may touch nothing but our keys and channels can do everything.
  await using client = await openClient(server.url)
  const prefix = 'shop'
  await client.aclSetUser('app', [
    'reset',
    'on',
    '>word',
    `~${prefix}:*`,
    `&${prefix}:*`,
    '+@all',
    '-@admin',
    '-@dangerous',
    '+info',
  ])
  const url = server.url.replace('redis://', 'redis://app:word@')
  const provider = openProvider({ url, prefix })
  const lock = mutex('a')
  fenceOf((await provider.leases.acquire([lock])).answers[0])
  const waits = mutex('a', { wait: { address: 'x', priority: 0, aliveMs: 5_000, grantTtlMs: 5_000 } })
  expect((await provider.leases.acquire([waits])).answers).toMatchObject([{ status: 'queued' }])
  await provider.registry.break('a', { reason: 'test', by: 'test' })
  expect((await provider.registry.list({ prefix: '', limit: 10 })).locks).toHaveLength(1)
  await provider.registry.resize('pool', 3)
  await provider.members.beat({ id: 'm', name: 'm', pid: 1, host: 'h' }, 1_000)
  expect((await provider.health.probe()).server).toBe('redis')
  await provider.close()
})
