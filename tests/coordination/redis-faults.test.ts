/** Redis itself breaks: replies vanish, data vanishes, the server vanishes. No stale write is ever taken. */
import { setTimeout as delay } from 'node:timers/promises'
import { matchCommand, startFaultProxy } from '@lockstep/testing/faults'
import { type ServerHandle, startRedis } from '@lockstep/testing/harness'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { processFaults } from './process-faults.ts'
import { RedisShell } from './redis-shell.ts'
import { Site } from './site.ts'

let server: ServerHandle
beforeAll(async () => {
  server = await startRedis({ quiet: true })
})
afterAll(() => server?.stop())

const here = (url = server.url) => ({ kind: 'redis', url }) as const

processFaults(() => here())

describe('a reply that never came', () => {
  it('leaves no ghost that holds the lock: the others go on long before its time is over', async () => {
    await using site = await Site.open(here())
    await using proxy = await startFaultProxy({ target: server.url })
    const cut = await site.looping(1, {
      provider: { kind: 'redis', url: proxy.url(server.url), namespace: site.provider.namespace },
      ttlMs: 60_000,
    })
    const direct = await site.looping(2, { ttlMs: 60_000 })
    await site.progress([...cut, ...direct], 2)
    const fault = matchCommand({ when: 'after-forward', command: /^(EVALSHA|EVAL|FCALL)$/, chance: 0.3, times: 6 })
    const handle = proxy.use(fault)
    await site.progress(direct, 10)
    await fault.landed()
    await site.progress(direct, 10)
    await handle.remove()
    await site.progress([...cut, ...direct], 3)
    expect(site.violations()).toEqual([])
    expect(site.unhandled()).toEqual([])
  })
})

describe('messages that never come', () => {
  it('cost those who wait some time, and not their turn', async () => {
    await using site = await Site.open(here())
    await using proxy = await startFaultProxy({ target: server.url })
    const provider = { kind: 'redis', url: proxy.url(server.url), namespace: site.provider.namespace } as const
    const deaf = await site.looping(2, { provider, ttlMs: 2_000 })
    await site.progress(deaf, 2)
    const fault = matchCommand({ when: 'before-forward', command: /SUBSCRIBE$/ })
    proxy.use(fault)
    proxy.dropConnections()
    await fault.landed()
    await site.progress(deaf, 3)
    await proxy.clear()
    await site.progress(deaf, 3)
    expect(site.violations()).toEqual([])
    expect(site.unhandled()).toEqual([])
  })
})

describe('a server that forgets', () => {
  const forgets = { storeForgets: true }

  it('everything, while a lease is held: the next holder has a higher fence, and the first is refused', async () => {
    await using site = await Site.open(here())
    await using shell = await RedisShell.open(server.url)
    const [one, two] = [await site.worker({ ttlMs: 10_000 }), await site.worker({ ttlMs: 10_000 })]
    const first = await one.call<{ fence: string }>('take')
    await shell.send('FLUSHALL')
    const second = await two.call<{ fence: string }>('take')
    expect(BigInt(second.fence)).toBeGreaterThan(BigInt(first.fence))
    expect(await one.call('writeBlindly')).toEqual({ accepted: false })
    expect(await two.call('writeBlindly')).toEqual({ accepted: true })
    expect(site.violations(forgets)).toEqual([])
  })

  it('everything, while a lease is held, in front of a resource that does not check: the checker sees it', async () => {
    await using site = await Site.open(here(), { checks: false })
    await using shell = await RedisShell.open(server.url)
    const [one, two] = [await site.worker({ ttlMs: 10_000 }), await site.worker({ ttlMs: 10_000 })]
    await one.call('take')
    await shell.send('FLUSHALL')
    await two.call('take')
    expect(await one.call('writeBlindly')).toEqual({ accepted: true })
    expect(site.violations(forgets).map((each) => each.rule)).toEqual(['the resource takes no earlier fence'])
  })

  it('everything five times a second', async () => {
    await using site = await Site.open(here())
    await using shell = await RedisShell.open(server.url)
    const workers = await site.looping(3, { ttlMs: 500, workMs: 30 })
    await site.progress(workers, 2)
    for (let round = 0; round < 15; round += 1) {
      await shell.send('FLUSHALL')
      await delay(200)
    }
    await site.progress(workers, 3)
    expect(site.violations(forgets)).toEqual([])
    expect(site.unhandled()).toEqual([])
  })

  it('whatever was used least: leases are evicted while they live', async () => {
    const args = ['--maxmemory', '5mb', '--maxmemory-policy', 'allkeys-lru']
    await using small = await startRedis({ quiet: true, args })
    await using shell = await RedisShell.open(small.url)
    await using site = await Site.open(here(small.url))
    const workers = await site.looping(3, { ttlMs: 500, workMs: 20 })
    await site.progress(workers, 2)
    const filling = 'x'.repeat(2_000)
    const evicted = async (): Promise<number> => Number(await shell.info('evicted_keys'))
    const end = performance.now() + 3_000
    for (let i = 0; performance.now() < end || (await evicted()) <= 1_000; i += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, k) => shell.send('SET', `filling:${i + k}`, filling)))
      await delay(10)
    }
    await site.progress(workers, 3)
    expect(site.violations(forgets)).toEqual([])
    expect(site.unhandled()).toEqual([])
  })

  it('everything because it was killed and came back empty', async () => {
    await using own = await startRedis({ quiet: true })
    await using site = await Site.open(here(own.url))
    const workers = await site.looping(3, { ttlMs: 500, workMs: 10 })
    await site.progress(workers, 2)
    for (let round = 0; round < 3; round += 1) {
      await own.kill9()
      await delay(100)
      await own.start()
      await site.progress(workers, 2)
    }
    expect(site.violations(forgets)).toEqual([])
    expect(site.unhandled()).toEqual([])
  })
})

describe('a server that hangs', () => {
  it('costs the holder its lease in time, and nothing else', async () => {
    await using own = await startRedis({ quiet: true })
    await using site = await Site.open(here(own.url))
    const holder = await site.worker({ ttlMs: 500 })
    await holder.call('take')
    await own.pause()
    await delay(800)
    expect(await holder.call('look')).toMatchObject({ trusted: false, aborted: true })
    await own.resume()
    const others = await site.looping(2, { ttlMs: 500 })
    await site.progress(others, 3)
    expect(site.violations()).toEqual([])
    expect(site.unhandled()).toEqual([])
  })
})
