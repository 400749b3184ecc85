import type { LeaseRequest } from '@lockstep/coordination'
import { type ServerHandle, startRedis } from '@lockstep/testing/harness'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { keysOf, openClient, openProvider } from './open-test-redis.ts'
import { fenceOf, inbox, mutex, place } from './requests.ts'

let server: ServerHandle
beforeAll(async () => {
  server = await startRedis()
})
afterAll(() => server.stop())
beforeEach(async () => {
  await using client = await openClient(server.url)
  await client.flushAll()
})

const DAY_MS = 86_400_000
const isIndex = (key: string): boolean => key.endsWith(':index')
const isHistory = (key: string): boolean => key.includes(':history:')

const reader = (name: string, extra: Partial<LeaseRequest> = {}): LeaseRequest =>
  mutex(name, { kind: 'read-write', share: { kind: 'read' }, ...extra })
const permit = (name: string, extra: Partial<LeaseRequest> = {}): LeaseRequest =>
  mutex(name, { kind: 'semaphore', share: { kind: 'permits', weight: 1, max: 1 }, ...extra })

describe('keys in the store', () => {
  it('all have an end', async () => {
    const provider = openProvider({ url: server.url })
    const wait = place('me', { aliveMs: 5_000 })
    for (const make of [mutex, permit])
      await provider.leases.acquire([make(`l${make.name}`), make(`l${make.name}`, { wait })])
    await provider.leases.acquire([
      reader('page'),
      mutex('page', { kind: 'read-write', share: { kind: 'write' }, wait }),
    ])
    await provider.leases.acquireTogether([mutex('t1'), reader('t2')])
    await provider.members.beat({ id: 'm', name: 'm', pid: 1, host: 'h' }, 5_000)
    const broken = mutex('broken')
    await provider.leases.acquire([broken])
    await provider.registry.break('broken', { reason: 'test', by: 'test' })
    await using client = await openClient(server.url)
    const keys = await keysOf(server.url)
    expect(keys.length).toBeGreaterThan(15)
    for (const key of keys) {
      const leftMs = await client.pTTL(key)
      expect([key, leftMs > 0]).toEqual([key, true])
      expect(leftMs).toBeLessThanOrEqual(isIndex(key) || isHistory(key) ? 7 * DAY_MS : 30_000)
    }
    await provider.close()
  })

  it('go with the leases: what is left is the mark of the fences, and that ends too', async () => {
    const provider = openProvider({ url: server.url })
    const locks = [...Array.from({ length: 100 }, (_, i) => mutex(`lock ${i}`)), reader('page'), permit('pool')]
    await provider.leases.acquire(locks)
    expect((await keysOf(server.url)).filter((key) => !isIndex(key))).toHaveLength(100 + 2 * 2)
    await provider.leases.renew(locks)
    await provider.leases.release(locks)
    await provider.members.beat({ id: 'm', name: 'm', pid: 1, host: 'h' }, 5_000)
    await provider.members.leave('m')
    await provider.close()
    await using client = await openClient(server.url)
    const left = await keysOf(server.url)
    // Where the machine was slow the leases lasted, and are remembered for an hour.
    expect(left.filter((key) => !isIndex(key) && !isHistory(key))).toEqual([])
    for (const key of left.filter(isIndex)) expect(await client.zCard(key)).toBe(1)
  })

  it('go by themselves when everybody died, waiters too', async () => {
    const provider = openProvider({ url: server.url })
    const wait = place('nobody', { aliveMs: 1_500 })
    const ends = { ttlMs: 1_000 }
    await provider.leases.acquire([
      mutex('a', ends),
      mutex('a', { ...ends, wait }),
      reader('page', ends),
      mutex('page', { kind: 'read-write', share: { kind: 'write' }, ...ends, wait }),
      permit('pool', ends),
      permit('pool', { ...ends, wait }),
    ])
    expect((await keysOf(server.url)).filter((key) => !isIndex(key))).toHaveLength(3 + 3 * 2 + 2)
    await provider.close()
    await vi.waitFor(async () => expect((await keysOf(server.url)).filter((key) => !isIndex(key))).toEqual([]), {
      timeout: 20_000,
    })
  })

  it('leave the index when leases ended by themselves, as others are granted', async () => {
    const provider = openProvider({ url: server.url })
    await using client = await openClient(server.url)
    const indexed = async (): Promise<number> => {
      const counts = await Promise.all((await keysOf(server.url)).filter(isIndex).map((key) => client.zCard(key)))
      return counts.reduce((sum, count) => sum + count - 1, 0)
    }
    await provider.leases.acquire(Array.from({ length: 200 }, (_, i) => mutex(`dies ${i}`, { ttlMs: 500 })))
    await provider.leases.acquire([mutex('lives')])
    await vi.waitFor(async () => expect((await keysOf(server.url)).filter((key) => !isIndex(key))).toHaveLength(1), {
      timeout: 20_000,
    })
    expect(await indexed()).toBe(201)
    await vi.waitFor(
      async () => {
        const others = Array.from({ length: 300 }, (_, i) => mutex(`other ${i}`))
        await provider.leases.acquire(others)
        await provider.leases.release(others)
        expect(await indexed()).toBe(1)
      },
      { timeout: 20_000 },
    )
    expect((await provider.registry.list({ prefix: '', limit: 10 })).locks.map(({ name }) => name)).toEqual(['lives'])
    await provider.close()
  })
})

describe('something else where a lock should be', () => {
  it.each(['list', 'text', 'hash'])('a %s is in the way, and harms nobody else', async (kind) => {
    const provider = openProvider({ url: server.url })
    await using client = await openClient(server.url)
    await provider.leases.acquire([mutex('a')])
    const key = (await keysOf(server.url)).find((each) => each.endsWith(':lock:a'))!
    await client.del(key)
    if (kind === 'list') await client.lPush(key, 'foreign')
    if (kind === 'text') await client.set(key, 'foreign')
    if (kind === 'hash') await client.hSet(key, 'foreign', '1')
    const wanted = [mutex('a'), mutex('b'), mutex('a', { wait: place('me') })]
    const { answers } = await provider.leases.acquire(wanted)
    expect(answers.map(({ status }) => status)).toEqual(['busy', 'granted', 'busy'])
    expect((await provider.leases.renew(wanted)).answers).toEqual(['lost', 'renewed', 'lost'])
    expect((await provider.leases.release(wanted)).answers).toEqual(['gone', 'released', 'gone'])
    if (kind !== 'hash') {
      const shares = await provider.leases.acquire([reader('a'), permit('b')])
      expect(shares.answers.map(({ status }) => status)).toEqual([kind === 'text' ? 'wrong-kind' : 'busy', 'granted'])
    }
    expect(await provider.registry.read('a')).toBeUndefined()
    expect(await client.exists(key)).toBe(1)
    await provider.close()
  })
})

describe('a store that lost everything', () => {
  it('gives higher fences than before, to holders, waiters and those after a restart', async () => {
    const provider = openProvider({ url: server.url })
    const fences: bigint[] = []
    for (let round = 0; round < 3; round += 1) {
      const lock = mutex('a', { fenceCount: 20 })
      fences.push(fenceOf((await provider.leases.acquire([lock])).answers[0]))
      if (round === 1) await server.restart()
      await using client = await openClient(server.url)
      await client.flushAll()
      await vi.waitFor(() => provider.health.probe(), { timeout: 20_000 })
      expect((await provider.leases.renew([lock])).answers).toEqual(['lost'])
      expect((await provider.leases.release([lock])).answers).toEqual(['gone'])
    }
    expect(fences[1]! >= fences[0]! + 20n && fences[2]! >= fences[1]! + 20n).toBe(true)
    await provider.close()
  })

  it('goes on from the mark when the clock of the server went back', async () => {
    const provider = openProvider({ url: server.url })
    await using client = await openClient(server.url)
    const lock = mutex('a')
    const first = fenceOf((await provider.leases.acquire([lock])).answers[0])
    await provider.leases.release([lock])
    const index = (await keysOf(server.url)).find(isIndex)!
    const [mark] = await client.withTypeMapping({ 36: Buffer }).zRange(index, -1, -1)
    const ahead = Number(first) + 3_600_000_000
    await client.zAdd(index, { score: ahead, value: mark! })
    const second = mutex('a', { fenceCount: 7 })
    expect(fenceOf((await provider.leases.acquire([second])).answers[0])).toBe(BigInt(ahead + 1))
    const listener = inbox()
    await provider.leases.listen('me', listener)
    await provider.leases.acquire([mutex('a', { wait: place('me') })])
    await provider.leases.release([second])
    await vi.waitFor(() => expect(listener.notices).toHaveLength(1))
    expect(listener.notices[0]).toMatchObject({ kind: 'granted' })
    expect((listener.notices[0] as { fence: bigint }).fence).toBeGreaterThan(BigInt(ahead + 7))
    await provider.close()
  })
})
