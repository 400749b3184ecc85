import { type ServerHandle, startRedis } from '@lockstep/testing/harness'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { openProvider } from './open-test-redis.ts'
import { fenceOf, mutex, place } from './requests.ts'

let server: ServerHandle
beforeAll(async () => {
  server = await startRedis()
})
afterAll(() => server.stop())

it('writes down hand-overs, losses and leases that lasted', async () => {
  const provider = openProvider({ url: server.url })
  const { leases, registry } = provider
  const [long, other] = [mutex('long', { holder: 'one' }), mutex('other', { holder: 'one' })]
  const { answers } = await leases.acquire([long, other])
  await new Promise((resolve) => setTimeout(resolve, 60))
  expect((await leases.release([long, other])).answers).toEqual(['released', 'released'])
  expect(await registry.history('long', 10)).toMatchObject([
    { kind: 'released', holder: 'one', fence: fenceOf(answers[0]) },
  ])
  expect(await registry.history('other', 10)).toHaveLength(1)
  expect((await leases.release([long])).answers).toEqual(['gone'])

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
