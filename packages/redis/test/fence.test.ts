import { type ServerHandle, startRedis } from '@lockstep/testing/harness'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { guardOf } from '../src/fence/redis-fence.ts'
import { redisFence } from '../src/index.ts'
import { openClient } from './open-test-redis.ts'

let server: ServerHandle
beforeAll(async () => {
  server = await startRedis()
})
afterAll(() => server.stop())

const stale = { code: 'STALE_FENCE' }

it('takes a write of the same holder and of a later one, and refuses an earlier one', async () => {
  await using client = await openClient(server.url)
  const guarded = redisFence(client)
  await guarded.set('stock', '1', 10n)
  await guarded.set('stock', '2', 10n)
  await guarded.set('stock', '3', 11n)
  await expect(guarded.set('stock', 'late', 10n)).rejects.toMatchObject({
    ...stale,
    details: { resource: 'stock', fence: 10n, seen: 11n },
  })
  expect(await client.get('stock')).toBe('3')
  await expect(guarded.delete('stock', 10n)).rejects.toMatchObject(stale)
  await guarded.delete('stock', 11n)
  await expect(guarded.set('stock', 'late', 10n)).rejects.toMatchObject(stale)
  expect(await client.get('stock')).toBeNull()
})

it('compares fences of any length exactly', async () => {
  await using client = await openClient(server.url)
  const guarded = redisFence(client)
  await guarded.set('big', 'a', 9_007_199_254_740_993n)
  await expect(guarded.set('big', 'b', 9_007_199_254_740_992n)).rejects.toMatchObject(stale)
  await guarded.set('big', 'c', 9_223_372_036_854_775_807n)
  await expect(guarded.set('big', 'd', 99n)).rejects.toMatchObject(stale)
  await expect(guarded.set('big', 'd', -1n)).rejects.toMatchObject({ code: 'INVALID_OPTION' })
})

it('keeps the fence longer than a value that ends, and in the same slot', async () => {
  await using client = await openClient(server.url)
  const guarded = redisFence(client)
  await guarded.set('short', 'x', 5n, { ttlMs: 1_000 })
  expect(await client.pTTL('short')).toBeLessThanOrEqual(1_000)
  expect(await client.pTTL('{short}:lockstep-guard')).toBeGreaterThan(6 * 86_400_000)
  await guarded.set('user:{7}:name', 'x', 5n)
  expect(await client.exists('user:{7}:name:lockstep-fence')).toBe(1)
})

it('keeps the guards of keys apart that differ in braces only', () => {
  const keys = ['a', '{a}', '{a}:fence', '{a}:guard', 'a:fence', '{}a', 'a{}{b}', 'a}b']
  expect(new Set(keys.map(guardOf)).size).toBe(keys.length)
})

it('remembers fences for a resource elsewhere', async () => {
  await using client = await openClient(server.url)
  const guarded = redisFence(client)
  expect(await guarded.raise('printer', 3n)).toBeUndefined()
  expect(await guarded.raise('printer', 7n)).toBe(3n)
  expect(await guarded.raise('printer', 5n)).toBe(7n)
  expect(await guarded.raise('printer', 7n)).toBe(7n)
})

it('works after the server forgot its scripts', async () => {
  await using client = await openClient(server.url)
  const guarded = redisFence(client)
  await client.scriptFlush()
  await Promise.all(Array.from({ length: 20 }, (_, i) => guarded.set(`many ${i}`, 'x', 1n)))
  expect(await client.exists(Array.from({ length: 20 }, (_, i) => `many ${i}`))).toBe(20)
})
