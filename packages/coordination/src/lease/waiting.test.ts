import { seededRandom } from '@lockstep/base'
import { type VirtualClock, virtualClock } from '@lockstep/testing/simulation'
import { describe, expect, it } from 'vitest'
import type { CoordinationProvider } from '../coordination-provider.ts'
import { type Coordinator, coordinator } from '../coordinator.ts'
import type { CoordinatorOptions } from '../coordinator-options.ts'
import { LockTimeout, ProviderUnavailable } from '../errors.ts'
import { memoryProvider } from '../memory/memory-provider.ts'
import { memoryStore } from '../memory/memory-store.ts'
import type { Lease } from './lease.ts'
import type { LeaseNotice } from './lease-provider.ts'

type Verb = 'acquire' | 'release'

/** What stands between a coordinator and the store. */
interface Link {
  /** Calls that reached the store, by what they were. */
  readonly calls: Record<Verb, number>
  /** Requests, before and after they reach the store, take so long. */
  delayMs: number
  /** The store does it, and nobody hears of it. */
  loseReplies: boolean
  cut: boolean
  /** Swallows messages. */
  deaf: boolean
  /** How long messages take. */
  slowMs: number
  /** How long it takes until they flow. */
  listenMs: number
  /** Tells the coordinator that it may have missed some. */
  gap(): void
}

function cluster() {
  const time = virtualClock()
  const store = memoryStore()
  const watch = memoryProvider({ clock: time, store })
  let seed = 1

  const join = (name: string, options: Partial<CoordinatorOptions> = {}): { locks: Coordinator; link: Link } => {
    const inner = memoryProvider({ clock: time, store })
    let onGap = (): void => {}
    const link: Link = {
      calls: { acquire: 0, release: 0 },
      delayMs: 0,
      loseReplies: false,
      cut: false,
      deaf: false,
      slowMs: 0,
      listenMs: 0,
      gap: () => onGap(),
    }
    const away = new ProviderUnavailable({ provider: 'memory', doing: 'test' })
    const through = async <T>(verb: Verb, call: () => Promise<T>): Promise<T> => {
      const { delayMs } = link
      if (delayMs > 0) await new Promise<void>((resolve) => time.schedule(delayMs, resolve))
      if (link.cut) throw away
      link.calls[verb] += 1
      const reply = await call()
      if (link.loseReplies) throw away
      if (delayMs > 0) await new Promise<void>((resolve) => time.schedule(delayMs, resolve))
      return reply
    }
    const provider: CoordinationProvider = {
      ...inner,
      leases: {
        ...inner.leases,
        acquire: (requests) => through('acquire', () => inner.leases.acquire(requests)),
        release: (keys) => through('release', () => inner.leases.release(keys)),
        listen: async (address, listener) => {
          if (link.listenMs > 0) await new Promise<void>((resolve) => time.schedule(link.listenMs, resolve))
          onGap = () => listener.onGap()
          const onNotice = (notice: LeaseNotice): void => {
            if (link.slowMs > 0) time.schedule(link.slowMs, () => listener.onNotice(notice))
            else if (!link.deaf) listener.onNotice(notice)
          }
          return inner.leases.listen(address, { onNotice, onGap })
        },
      },
    }
    const random = seededRandom(seed++)
    return { locks: coordinator({ provider, clock: time.view(), random, name, ttlMs: 10_000, ...options }), link }
  }
  return { time, join, registry: watch.registry }
}

async function during<T>(time: VirtualClock, work: Promise<T>, ms = 0): Promise<T> {
  await time.advance(ms)
  return work
}

/** Takes the lease when it comes, and notes who got it. */
function note(order: string[], who: string, asking: Promise<Lease>): Promise<Lease> {
  return asking.then((lease) => {
    order.push(who)
    return lease
  })
}

describe('the first lease of a coordinator', () => {
  it('is asked for when messages flow, so that its holder hears of everything', async () => {
    const { time, join, registry } = cluster()
    const { locks, link } = join('a')
    link.listenMs = 300
    const asking = locks.mutex('m').acquire({ ttlMs: 200 })
    await time.advance(299)
    expect(link.calls.acquire).toBe(0)
    const lease = await during(time, asking, 1)
    expect(lease.remainingMs()).toBeGreaterThan(150)
    await during(time, registry.requestYield('m', { reason: 'deploy', by: 'ops' }))
    expect(lease.yieldSignal.aborted).toBe(true)
  })

  it('does not wait for them for ever', async () => {
    const { time, join } = cluster()
    const { locks, link } = join('a')
    link.listenMs = 60_000
    const both = [locks.mutex('m').acquire(), locks.all([locks.mutex('a'), locks.mutex('b')]).acquire()] as const
    await time.advance(1_000)
    ;(await both[0]).assertHeld()
    ;(await both[1]).assertHeld()
  })

  it('is given up in time while it waits for them, and close waits no longer either', async () => {
    const { time, join, registry } = cluster()
    const { locks, link } = join('a')
    link.listenMs = 60_000
    const refused = locks.mutex('m').tryAcquire({ waitMs: 100 })
    await time.advance(100)
    expect(await refused).toMatchObject({ ok: false, reason: 'timeout' })
    await during(time, locks.close(), 10_000)
    expect(await registry.read('m')).toBeUndefined()
  })
})

describe('waiting for a lock', () => {
  it('needs no further call when the lock is handed over, and knows how long it may trust it', async () => {
    const { time, join } = cluster()
    const [a, b] = [join('a'), join('b')]
    const first = await during(time, a.locks.mutex('m').acquire())
    const waiting = b.locks.mutex('m').acquire()
    await time.advance(100)
    const asked = b.link.calls.acquire
    await during(time, first.release())
    const second = await waiting
    expect(b.link.calls.acquire).toBe(asked)
    expect(second.fence).toBeGreaterThan(first.fence)
    expect(second.remainingMs()).toBeLessThanOrEqual(3_000)
    expect(second.remainingMs()).toBeGreaterThan(2_700)
    await time.advance(1_500) // its first renewal
    expect(second.remainingMs()).toBeGreaterThan(5_000)
  })

  it('takes a grant whose message overtook the answer that it waits', async () => {
    const { time, join } = cluster()
    const [a, b] = [join('a'), join('b')]
    const first = await during(time, a.locks.mutex('m').acquire())
    b.link.delayMs = 50
    const waiting = b.locks.mutex('m').acquire()
    await time.advance(60) // the store has queued it; the answer is on its way
    await during(time, first.release())
    const second = await during(time, waiting, 60)
    // Counted from before the asking left, for lack of anything better: at least 110 ms ago.
    expect(second.remainingMs()).toBeLessThanOrEqual(3_000 - 50)
    second.assertHeld()
  })

  it('does not take a grant whose message came too late to be trusted, and asks again', async () => {
    const { time, join } = cluster()
    const [a, b] = [join('a'), join('b', { askAgainMs: 60_000 })]
    const first = await during(time, a.locks.mutex('m').acquire())
    b.link.slowMs = 3_000
    const waiting = b.locks.mutex('m').acquire({ ttlMs: 1_000, waitMs: 60_000 })
    await time.advance(10)
    const asked = b.link.calls.acquire
    await during(time, first.release())
    await time.advance(2_990) // its grant has come and gone
    expect(b.link.calls.acquire).toBe(asked)
    const second = await during(time, waiting, 10)
    expect(b.link.calls.acquire).toBe(asked + 1)
    expect(second.remainingMs()).toBeGreaterThan(900)
  })

  it('asks again by itself, so that a lost message costs only time', async () => {
    const { time, join } = cluster()
    const [a, b] = [join('a'), join('b')]
    const first = await during(time, a.locks.mutex('m').acquire())
    b.link.deaf = true
    const waiting = b.locks.mutex('m').acquire()
    await time.advance(100)
    await during(time, first.release())
    const second = await during(time, waiting, 2_600)
    second.assertHeld()
  })

  it('asks at once when messages may have been missed', async () => {
    const { time, join } = cluster()
    const [a, b] = [join('a'), join('b')]
    const first = await during(time, a.locks.mutex('m').acquire())
    b.link.deaf = true
    const waiting = Promise.all(['m', 'n'].map((name) => b.locks.mutex(name).acquire()))
    await time.advance(100)
    await during(time, first.release())
    const asked = b.link.calls.acquire
    b.link.gap()
    expect(await during(time, waiting)).toHaveLength(2)
    expect(b.link.calls.acquire).toBe(asked + 1)
  })

  it('takes over when the holder died, about when its lease ends', async () => {
    const { time, join } = cluster()
    const [a, b] = [join('a'), join('b')]
    await during(time, a.locks.mutex('m').acquire({ ttlMs: 1_000, renew: false }))
    const waiting = b.locks.mutex('m').acquire()
    await time.advance(900)
    const second = await during(time, waiting, 700)
    second.assertHeld()
  })

  it('gives up after waitMs, says who was in the way, and leaves no place', async () => {
    const { time, join, registry } = cluster()
    const [a, b] = [join('a'), join('b')]
    await during(time, a.locks.mutex('m').acquire({ meta: { job: 7 } }))
    const refused = b.locks.mutex('m').tryAcquire({ waitMs: 500 })
    const thrown = b.locks.mutex('m').acquire({ waitMs: 600 })
    thrown.catch(() => {})
    await time.advance(500)
    expect(await refused).toMatchObject({ ok: false, reason: 'timeout', holder: { node: 'a', meta: { job: 7 } } })
    expect((await registry.read('m'))!.waitingCount).toBe(1)
    await time.advance(100)
    await expect(thrown).rejects.toSatisfy(LockTimeout.is)
    expect((await registry.read('m'))!.waitingCount).toBe(0)
  })

  it('gives up in time although the store does not answer, and gives back what it got', async () => {
    const { time, join, registry } = cluster()
    const { locks, link } = join('a')
    link.delayMs = 5_000
    const refused = locks.mutex('m').tryAcquire({ waitMs: 100 })
    await time.advance(100)
    expect(await refused).toMatchObject({ ok: false, reason: 'timeout' })
    await time.advance(5_000)
    expect((await registry.read('m'))!.holders).toHaveLength(1) // granted to nobody …
    link.delayMs = 0
    await time.advance(5_000)
    expect(await registry.read('m')).toBeUndefined() // … and given back as soon as that was known
  })

  it('rejects with the reason of its signal, before and while it waits', async () => {
    const { time, join, registry } = cluster()
    const [a, b] = [join('a'), join('b')]
    await during(time, a.locks.mutex('m').acquire())
    const stop = new AbortController()
    const waiting = b.locks.mutex('m').acquire({ signal: stop.signal })
    waiting.catch(() => {})
    await time.advance(10)
    const why = new Error('no longer wanted')
    stop.abort(why)
    await expect(waiting).rejects.toBe(why)
    await expect(b.locks.mutex('m').acquire({ signal: stop.signal })).rejects.toBe(why)
    await time.advance(0)
    expect((await registry.read('m'))!.waitingCount).toBe(0)
  })

  it('gives back a grant that came while it gave up', async () => {
    const { time, join, registry } = cluster()
    const [a, b] = [join('a'), join('b')]
    const first = await during(time, a.locks.mutex('m').acquire())
    const stop = new AbortController()
    const waiting = b.locks.mutex('m').acquire({ signal: stop.signal })
    waiting.catch(() => {})
    await time.advance(10)
    b.link.deaf = true // the grant is made, and the message is still on its way
    await during(time, first.release())
    expect((await registry.read('m'))!.holders[0]!.holder).toContain('"b"')
    stop.abort()
    await time.advance(0)
    expect(await registry.read('m')).toBeUndefined()
  })

  it('refuses when the store cannot be asked, and leaves no ghost of what it may have got', async () => {
    const { time, join, registry } = cluster()
    const { locks, link } = join('a')
    link.loseReplies = true
    const asking = locks.mutex('m').acquire()
    asking.catch(() => {})
    await time.advance(0)
    await expect(asking).rejects.toSatisfy(ProviderUnavailable.is)
    link.loseReplies = false
    await time.advance(2_000)
    expect(await registry.read('m')).toBeUndefined()
  })

  it('keeps on releasing what the store did not hear of', async () => {
    const { time, join, registry } = cluster()
    const { locks, link } = join('a')
    const lease = await during(time, locks.mutex('m').acquire())
    link.cut = true
    const released = lease.release()
    released.catch(() => {})
    await time.advance(0)
    await expect(released).rejects.toSatisfy(ProviderUnavailable.is)
    await time.advance(1_000)
    link.cut = false
    await time.advance(2_000)
    expect(await registry.read('m')).toBeUndefined()
  })

  it('waits on through a store that is away for a while', async () => {
    const { time, join } = cluster()
    const [a, b] = [join('a'), join('b')]
    const first = await during(time, a.locks.mutex('m').acquire())
    const waiting = b.locks.mutex('m').acquire()
    await time.advance(100)
    b.link.cut = true
    b.link.deaf = true
    await time.advance(4_000)
    b.link.cut = false
    await during(time, first.release())
    const second = await during(time, waiting, 3_000)
    second.assertHeld()
  })

  it('keeps the process alive, which holding alone does not', async () => {
    const { time, join } = cluster()
    const { locks } = join('a')
    await during(time, locks.mutex('m').acquire())
    expect(await time.runUntilIdle()).toBe(true)
    const since = time.monotonic()
    const refused = locks.mutex('m').tryAcquire({ waitMs: 500 })
    expect(await time.runUntilIdle()).toBe(true)
    expect(time.monotonic() - since).toBe(500)
    expect(await refused).toMatchObject({ ok: false, reason: 'timeout' })
  })

  it('ends with close, and leaves no place', async () => {
    const { time, join, registry } = cluster()
    const [a, b] = [join('a'), join('b')]
    await during(time, a.locks.mutex('m').acquire())
    const waiting = [1, 2, 3].map(() => b.locks.mutex('m').acquire())
    const ends = Promise.allSettled(waiting)
    await time.advance(10)
    await during(time, b.locks.close())
    for (const end of await ends) expect(end).toMatchObject({ reason: { code: 'COORDINATOR_CLOSED' } })
    expect((await registry.read('m'))!.waitingCount).toBe(0)
  })
})

describe('a mutex that many in one process want', () => {
  it('is passed on inside, without a call, each time with a higher fence', async () => {
    const { time, join, registry } = cluster()
    const { locks, link } = join('a')
    const first = await during(time, locks.mutex('m').acquire())
    const others = [1, 2, 3, 4].map(() => locks.mutex('m').acquire())
    await time.advance(10)
    const before = { ...link.calls }
    let last = first
    for (const other of others) {
      expect(await during(time, last.release())).toBe('released')
      const next = await other
      expect(next.fence).toBeGreaterThan(last.fence)
      next.assertHeld()
      expect(() => last.assertHeld()).toThrow(/released/)
      last = next
    }
    expect(link.calls).toEqual(before)
    await during(time, last.release())
    expect(await registry.read('m')).toBeUndefined()
  })

  it('has one place in the store for all who wait', async () => {
    const { time, join, registry } = cluster()
    const [a, b] = [join('a'), join('b')]
    await during(time, a.locks.mutex('m').acquire())
    for (let waiter = 0; waiter < 20; waiter += 1)
      void b.locks
        .mutex('m')
        .acquire()
        .catch(() => {})
    await time.advance(10)
    expect((await registry.read('m'))!.waitingCount).toBe(1)
  })

  it('goes to the other processes after its quota, and comes back', async () => {
    const { time, join } = cluster()
    const [a, b] = [join('a', { quota: 2 }), join('b', { quota: 2 })]
    const order: string[] = []
    const first = note(order, 'a', a.locks.mutex('m').acquire())
    const asked = [first]
    await time.advance(10)
    for (let each = 0; each < 5; each += 1) asked.push(note(order, 'a', a.locks.mutex('m').acquire()))
    await time.advance(10)
    for (let each = 0; each < 4; each += 1) asked.push(note(order, 'b', b.locks.mutex('m').acquire()))
    await time.advance(10)
    const running = asked.map(async (each) => {
      const lease = await each
      await new Promise<void>((resolve) => time.schedule(5, resolve))
      await lease.release()
    })
    await during(time, Promise.all(running), 5_000)
    expect(order.join('')).toMatch(/^aaa(aaa)?bbb(aaa)?b$/)
  })

  it('is passed on past nobody here who goes first', async () => {
    const { time, join } = cluster()
    const { locks } = join('a')
    const order: string[] = []
    const first = await during(time, locks.mutex('m').acquire())
    const asked = [
      note(order, 'plain', locks.mutex('m').acquire()),
      note(order, 'high', locks.mutex('m').acquire({ priority: 5 })),
      note(order, 'noted', locks.mutex('m').acquire({ priority: 3, meta: 'x' })),
    ]
    await time.advance(10)
    await during(time, first.release())
    for (const _ of asked) {
      await time.advance(10)
      const lease = await asked[['plain', 'high', 'noted'].indexOf(order.at(-1)!)]!
      await during(time, lease.release())
    }
    expect(order).toEqual(['high', 'noted', 'plain'])
  })

  it('is passed on to nobody past one who asked for strict order before', async () => {
    const { time, join } = cluster()
    const { locks } = join('a')
    const order: string[] = []
    const first = await during(time, locks.mutex('m').acquire())
    const fair = note(order, 'fair', locks.mutex('m', { fair: true }).acquire({ priority: -9 }))
    const plain = note(order, 'plain', locks.mutex('m').acquire())
    await time.advance(10)
    await during(time, first.release(), 10)
    await during(time, (await fair).release(), 10)
    await during(time, (await plain).release())
    expect(order).toEqual(['fair', 'plain'])
  })

  it('stands in the store as whoever has something to say there', async () => {
    const { time, join, registry } = cluster()
    const { locks } = join('a')
    const first = await during(time, locks.mutex('m').acquire())
    const noted = locks.mutex('m').acquire({ meta: { order: 42 } })
    await time.advance(10)
    await during(time, first.release())
    await noted
    expect((await registry.read('m'))!.holders[0]!.holder).toContain('"order":42')
  })

  it('serves the next here when a waiter gave up or the lease was lost', async () => {
    const { time, join, registry } = cluster()
    const { locks } = join('a')
    const first = await during(time, locks.mutex('m').acquire())
    const stop = new AbortController()
    const impatient = locks.mutex('m').acquire({ signal: stop.signal })
    impatient.catch(() => {})
    const patient = locks.mutex('m').acquire()
    await time.advance(10)
    stop.abort()
    await during(time, registry.break('m', { reason: 'test', by: 'test' }))
    expect(first.signal.aborted).toBe(true)
    const next = await during(time, patient, 10)
    next.assertHeld()
  })

  it('is not passed on when too little of its life is left', async () => {
    const { time, join, registry } = cluster()
    const { locks } = join('a')
    const first = await during(time, locks.mutex('m', { ttlMs: 1_000 }).acquire({ renew: false }))
    const waiting = locks.mutex('m', { ttlMs: 1_000 }).acquire()
    await time.advance(900)
    await during(time, first.release())
    const next = await during(time, waiting, 10)
    expect(next.remainingMs()).toBeGreaterThan(900)
    expect((await registry.read('m'))!.holders).toHaveLength(1)
  })

  it('fails all who stand behind one place when the store cannot be asked', async () => {
    const { time, join } = cluster()
    const { locks, link } = join('a')
    link.cut = true
    const ends = Promise.allSettled([1, 2, 3].map(() => locks.mutex('m').acquire()))
    await time.advance(10)
    for (const end of await ends) expect(end).toMatchObject({ reason: { code: 'PROVIDER_UNAVAILABLE' } })
  })
})
