import { type ServerHandle, startRedis } from '@lockstep/testing/harness'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { keysOf, openProvider } from './open-test-redis.ts'
import { mutex, place } from './requests.ts'

let server: ServerHandle
beforeAll(async () => {
  server = await startRedis()
})
afterAll(() => server.stop())

it('writes down hand-overs and losses, and nothing of a lock that nobody waits for', async () => {
  const provider = openProvider({ url: server.url })
  const { leases, registry } = provider
  const alone = mutex('alone')
  await leases.acquire([alone])
  await leases.release([alone])
  expect(await registry.history('alone', 10)).toEqual([])
  expect((await keysOf(server.url)).filter((key) => key.includes('history'))).toEqual([])

  const [first, second] = [
    mutex('a', { holder: 'one' }),
    mutex('a', { holder: 'two', wait: place('x', { grantTtlMs: 60 }) }),
  ]
  const third = mutex('a', { holder: 'three', wait: place('x') })
  await leases.acquire([first, second, third])
  await leases.release([first])
  await vi.waitFor(async () => expect((await leases.acquire([third])).answers).toMatchObject([{ status: 'granted' }]))
  const events = await registry.history('a', 10)
  expect(events.map(({ kind, holder }) => `${kind} ${holder}`)).toEqual([
    'granted three',
    'expired two',
    'granted two',
    'released one',
  ])
  expect(events[1]!.fence).toBe(events[2]!.fence)
  await provider.close()
})

it('keeps the last 32 events of a lock', async () => {
  const provider = openProvider({ url: server.url })
  for (let i = 0; i < 40; i += 1) {
    await provider.leases.acquire([mutex('b', { holder: `holder ${i}` })])
    await provider.registry.break('b', { reason: `${i}`, by: 'test' })
  }
  const events = await provider.registry.history('b', 100)
  expect(events).toHaveLength(32)
  expect(events[0]).toMatchObject({ kind: 'broken', holder: 'holder 39', reason: '39', by: 'test' })
  await provider.close()
})
