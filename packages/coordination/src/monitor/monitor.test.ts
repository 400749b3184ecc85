import { type Logger, seededRandom, silentLogger } from '@lockstep/base'
import { virtualClock } from '@lockstep/testing/simulation'
import { describe, expect, it } from 'vitest'
import { coordinator } from '../coordinator.ts'
import { memoryProvider } from '../memory/memory-provider.ts'
import { memoryStore } from '../memory/memory-store.ts'
import type { MonitorOptions } from './create-monitor.ts'
import type { MonitorEvent } from './monitor-event.ts'

function cluster() {
  const time = virtualClock()
  const store = memoryStore()
  let seed = 1
  const warnings: string[] = []
  const logger: Logger = { ...silentLogger, warn: (message) => warnings.push(message), area: () => logger }
  const join = (name: string, monitor: MonitorOptions = {}) => {
    const clock = time.view()
    const provider = memoryProvider({ clock: time, store })
    const random = seededRandom(seed++)
    return {
      clock,
      provider,
      locks: coordinator({ provider, ownsProvider: true, name, clock, random, logger, monitor }),
    }
  }
  /** The answer of a call, after giving it the time that the clock does not take by itself. */
  const now = async <T>(asked: Promise<T>): Promise<T> => {
    await time.advance(1)
    return asked
  }
  return { time, join, now, warnings }
}

describe('the monitor', () => {
  it('shows who holds and who waits, by prefix, page by page', async () => {
    const { join, now } = cluster()
    const [a, b] = [join('a').locks, join('b').locks]
    for (let i = 0; i < 5; i += 1) await now(a.mutex(`order:${i}`).acquire({ meta: { job: i } }))
    await now(a.mutex('other').acquire())
    void b
      .mutex('order:3')
      .acquire()
      .catch(() => {})
    const first = await now(b.monitor.list({ prefix: 'order:', limit: 2 }))
    const second = await now(b.monitor.list({ prefix: 'order:', limit: 3, after: first.next! }))
    expect(first.locks.map((lock) => lock.name)).toEqual(['order:0', 'order:1'])
    expect(second.locks.map((lock) => lock.name)).toEqual(['order:2', 'order:3', 'order:4'])
    expect(second.locks[1]).toMatchObject({
      kind: 'mutex',
      waitingCount: 1,
      holders: [{ lock: 'order:3', holder: { node: 'a', meta: { job: 3 } } }],
      waiters: [{ lock: 'order:3', holder: { node: 'b' } }],
    })
    expect(await now(b.monitor.waiters())).toMatchObject([{ lock: 'order:3', holder: { node: 'b' } }])
    expect(await now(b.monitor.read('nothing'))).toBeUndefined()
    await expect(b.monitor.list({ limit: 0 })).rejects.toThrow(/limit/)
    await expect(b.monitor.history('order:3', 5_000)).rejects.toThrow(/limit/)
  })

  it('breaks a lock: the holder learns why, the fence rises, the next one gets it, and it stands in the history', async () => {
    const { time, join, now } = cluster()
    const [a, b] = [join('a').locks, join('b').locks]
    const lease = await now(a.mutex('order').acquire())
    const waiting = b.mutex('order').acquire()
    await time.advance(1)
    expect(await now(b.monitor.break('order', 'a hangs'))).toMatchObject([
      { holder: { node: 'a' }, fence: lease.fence },
    ])
    await time.advance(1)
    expect(lease.signal.reason).toMatchObject({ code: 'LEASE_LOST', details: { reason: 'revoked' } })
    expect((await waiting).fence).toBeGreaterThan(lease.fence)
    expect(await now(b.monitor.history('order'))).toMatchObject([
      { kind: 'granted', holder: { node: 'b' } },
      { kind: 'broken', holder: { node: 'a' }, reason: 'a hangs', by: 'b' },
      { kind: 'granted', holder: { node: 'a' } },
    ])
    expect(b.monitor.events({ name: 'order' }).map((event) => event.type)).toContain('broken')
    await expect(b.monitor.break('order', ' ')).rejects.toThrow(/reason/)
    expect(await now(b.monitor.break('nothing', 'x'))).toEqual([])
  })

  it('asks a holder to give it up', async () => {
    const { time, join, now } = cluster()
    const [a, b] = [join('a').locks, join('b').locks]
    const lease = await now(a.mutex('order').acquire())
    expect(lease.yieldSignal.aborted).toBe(false)
    expect(await now(b.monitor.requestYield('order', 'a customer waits'))).toHaveLength(1)
    await time.advance(1)
    expect(lease.yieldSignal.aborted).toBe(true)
    expect(lease.signal.aborted).toBe(false)
  })

  it('calls stale what a dead process holds, and nothing else', async () => {
    const { time, join, now } = cluster()
    const [a, b] = [join('a'), join('b')]
    await now(a.locks.mutex('dead').acquire({ ttlMs: 600_000 }))
    await now(b.locks.mutex('alive').acquire({ ttlMs: 600_000 }))
    await time.advance(120_000)
    expect(await now(b.locks.monitor.stale())).toEqual([])
    a.clock.stop()
    await time.advance(16_000)
    expect(await now(b.locks.monitor.stale())).toMatchObject([{ lock: 'dead', holder: { node: 'a' } }])
    expect(await now(b.locks.monitor.stale({ prefix: 'al' }))).toEqual([])
  })

  it('counts what its own process does, and warns when waits grow long', async () => {
    const { time, join, now, warnings } = cluster()
    const [a, b] = [join('a').locks, join('b', { slowWaitMs: 2_000 }).locks]
    const told: MonitorEvent[] = []
    const stop = b.monitor.onEvent((event) => told.push(event))
    const lease = await now(a.mutex('order:1').acquire())
    const waiting = b.mutex('order:1').acquire()
    await time.advance(3_000)
    void lease.release()
    await time.advance(10)
    await now((await waiting).release())
    await now(b.mutex('order:2').tryAcquire())
    expect(b.monitor.stats('order:*')).toMatchObject([{ asked: 2, granted: 2, released: 1, contention: 0.5 }])
    expect(b.monitor.stats()[0]!.waitMs.max).toBeGreaterThanOrEqual(2_999)
    expect(a.monitor.stats('order:*')).toMatchObject([{ asked: 1, granted: 1, released: 1, contention: 0 }])
    expect(told.map((event) => event.type)).toEqual(expect.arrayContaining(['asked', 'granted', 'slow', 'released']))
    expect(warnings).toEqual(['monitor: locks are waited for too long'])
    stop()
    const before = told.length
    await now(b.mutex('order:3').tryAcquire())
    expect(told).toHaveLength(before)
  })

  it('finds a deadlock over processes, and is sure of it when its parties named themselves', async () => {
    const { time, join, now } = cluster()
    const [a, b] = [join('a').locks, join('b').locks]
    const owner = (name: string) => ({ meta: { owner: name }, waitMs: 60_000 })
    await now(a.mutex('A').acquire(owner('x')))
    await now(b.mutex('B').acquire(owner('y')))
    const inVain = [a.mutex('B').acquire(owner('x')), b.mutex('A').acquire(owner('y'))].map((each) =>
      each.catch(() => {}),
    )
    await time.advance(1)
    const graph = await now(a.monitor.graph())
    expect(graph.waits).toHaveLength(2)
    expect(graph.deadlocks).toHaveLength(1)
    expect(graph.deadlocks[0]).toMatchObject({ certain: true })
    expect([...graph.deadlocks[0]!.actors].sort()).toEqual(['x', 'y'])
    await now(a.monitor.break('A', 'deadlock'))
    await time.advance(10)
    expect((await now(a.monitor.graph())).deadlocks).toEqual([])
    await time.advance(60_000)
    await Promise.all(inVain)
  })

  it('only suspects a deadlock of processes that did not name their tasks', async () => {
    const { time, join, now } = cluster()
    const [a, b] = [join('a').locks, join('b').locks]
    await now(a.mutex('A').acquire())
    await now(b.mutex('B').acquire())
    void a
      .mutex('B')
      .acquire()
      .catch(() => {})
    void b
      .mutex('A')
      .acquire()
      .catch(() => {})
    await time.advance(1)
    expect((await now(a.monitor.graph())).deadlocks).toMatchObject([{ certain: false }])
  })

  it('takes no circle for real that was put together from two looks', async () => {
    const { time, join, now } = cluster()
    const [a, b] = [join('a'), join('b')]
    const owner = (name: string) => ({ meta: { owner: name } })
    const heldA = await now(a.locks.mutex('A').acquire(owner('x')))
    await now(b.locks.mutex('B').acquire(owner('y')))
    void a.locks
      .mutex('B')
      .acquire(owner('x'))
      .catch(() => {})
    void b.locks
      .mutex('A')
      .acquire(owner('y'))
      .catch(() => {})
    await time.advance(1)
    const { registry } = a.provider
    const { list } = registry
    Object.assign(registry, {
      list: async (page: Parameters<typeof list>[0]) => {
        const seen = await list(page)
        await heldA.release() // between the first look and the second
        return seen
      },
    })
    const asked = a.locks.monitor.graph()
    await time.advance(100)
    expect((await asked).deadlocks).toEqual([])
  })
})
