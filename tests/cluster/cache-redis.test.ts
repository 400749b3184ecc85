/** The second tier: what one node has read another need not, and whatever becomes of Redis, nobody reads anything that is not so. */
import { randomBytes } from 'node:crypto'
import { workflow } from '@lockstep/engine'
import { type RedisCache, redisCache } from '@lockstep/redis'
import { type ServerHandle, startRedis } from '@lockstep/testing/harness'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openClient } from '../../packages/redis/test/open-test-redis.ts'
import { until } from '../faults/until.ts'
import { type CacheNode, edge, openCacheSite } from './cache-site.ts'

let server: ServerHandle
beforeAll(async () => {
  server = await startRedis({ quiet: true })
})
afterAll(() => server?.stop())

const asking = workflow('asking', async (ctx) => {
  await ctx.waitFor('first')
  return ctx.waitFor('second')
})

const waitsFor = ({ engine }: CacheNode, id: string, name: string): Promise<void> =>
  until(`it waits for ${name}`, async () => (await engine.get(id)).waitingFor[0]?.name === name, 60_000)
const tierHits = ({ engine }: CacheNode): number =>
  engine.caches.list().find(({ name }) => name === 'instances')!.secondTierHits

it('spares the others the reading, and is checked, flushed, corrupted, hung and killed without anybody noticing', async () => {
  const prefix = `t${randomBytes(6).toString('hex')}`
  const tiers: RedisCache[] = [1, 2, 3].map(() => redisCache({ ...edge, url: server.url, prefix, patienceMs: 2_000 }))
  const options = tiers.map((cacheTier, at) => ({ cacheTier, ...(at === 0 && { workflows: [asking] }) }))
  {
    await using site = await openCacheSite(options)
    const [one, two, three] = site.nodes as [CacheNode, CacheNode, CacheNode]
    const { instanceId: id } = await one.engine.start({ definitionId: 'asking' })
    await waitsFor(one, id, 'first')
    await using client = await openClient(server.url)
    const key = `${prefix}:{cache}:instance:${id}`
    const current = { view: { id, waitingFor: [{ name: 'first' }] } }

    expect(await one.engine.state(id)).toMatchObject(current)
    await until('it is kept', async () => (await client.get(key)) !== null, 60_000)
    expect(await two.engine.state(id)).toMatchObject(current)
    expect([tierHits(one), tierHits(two)]).toEqual([0, 1])

    const old = (await client.get(key))!
    expect(await one.engine.resume({ instanceId: id, bookmark: 'first' })).toBe('resumed')
    await waitsFor(one, id, 'second')
    const moved = { view: { id, waitingFor: [{ name: 'second' }] } }
    for (const lie of [old, 'no JSON', '{"stamp":1}']) {
      await three.engine.caches.clear('instances')
      await client.set(key, lie)
      expect(await three.engine.state(id)).toMatchObject(moved)
    }
    expect(tierHits(three)).toBe(0)
    await three.engine.caches.clear('instances')
    expect(await client.get(key)).toBeNull()
    await client.flushAll()
    expect(await two.engine.state(id)).toMatchObject(moved)

    await server.pause()
    try {
      for (const node of [one, two, three]) {
        await node.engine.state(id)
        expect(await node.engine.state(id, { exact: true })).toMatchObject(moved)
      }
    } finally {
      await server.resume()
    }
    await server.kill9()
    expect(await one.engine.resume({ instanceId: id, bookmark: 'second', payload: 'end' })).toBe('resumed')
    expect(await one.engine.waitForEnd(id, { limitMs: 60_000 })).toMatchObject({ output: 'end' })
    for (const node of [one, two, three])
      expect(await node.engine.state(id, { exact: true })).toMatchObject({
        view: { status: 'completed', output: 'end' },
      })
    expect(await one.engine.caches.clear('instances')).toMatchObject({ size: 0 })
    await server.start()
    await until(
      'it is used again',
      async () => {
        await one.engine.caches.clear('instances')
        await one.engine.state(id)
        return (await tiers[1]!.read(`instance:${id}`)) !== undefined
      },
      90_000,
    )
  }
  await Promise.all(tiers.map((tier) => tier.close()))
})
