/**
 * Many coordinators on one store, doing what they like at random moments: taking a mutex, holding it, giving up, being stopped
 * and woken, dying. Whatever the order, no two believe at one moment that they hold it, fences rise in the order of the
 * grants, everybody who goes on asking is served, and nothing is left when all have closed.
 */
import { type Random, seededRandom, sleep } from '@lockstep/base'
import { type NodeClock, type VirtualClock, virtualClock } from '@lockstep/testing/simulation'
import { describe, expect, it } from 'vitest'
import type { CoordinationProvider } from '../coordination-provider.ts'
import { type Coordinator, coordinator } from '../coordinator.ts'
import { ProviderUnavailable } from '../errors.ts'
import { memoryProvider } from '../memory/memory-provider.ts'
import { type MemoryStore, memoryStore } from '../memory/memory-store.ts'
import type { Lease } from './lease.ts'

const TTL_MS = 1_000
const RUN_MS = 60_000
const NODES = 4
const TASKS_PER_NODE = 3

interface Node {
  readonly locks: Coordinator
  readonly clock: NodeClock
  /** Cuts it from the store for good. */
  die(): void
}

interface World {
  readonly time: VirtualClock
  readonly random: Random
  readonly store: MemoryStore
  readonly believers: Map<Lease, string>
  readonly fences: bigint[]
  readonly served: Map<string, number>
  readonly problems: string[]
}

/** A way to the store that takes its time, loses replies and messages, and ends when its node dies. */
function faulty(world: World, inner: CoordinationProvider, alive: () => boolean): CoordinationProvider {
  const { time, random } = world
  const forEver = new Promise<never>(() => {})
  const travel = async (): Promise<void> => {
    await new Promise<void>((resolve) => time.schedule(random.next() * 20, resolve))
    if (!alive()) await forEver
  }
  const through = async <T>(call: () => Promise<T>): Promise<T> => {
    await travel()
    const reply = await call()
    await travel()
    if (random.next() < 0.03) throw new ProviderUnavailable({ provider: 'memory', doing: 'lost reply' })
    return reply
  }
  const { leases } = inner
  return {
    ...inner,
    leases: {
      acquire: (requests) => through(() => leases.acquire(requests)),
      acquireTogether: (requests) => through(() => leases.acquireTogether(requests)),
      renew: (renewals) => through(() => leases.renew(renewals)),
      release: (keys) => through(() => leases.release(keys)),
      listen: (address, listener) =>
        leases.listen(address, {
          onGap: () => listener.onGap(),
          onNotice: (notice) => {
            if (random.next() < 0.1) return
            void travel().then(() => listener.onNotice(notice))
          },
        }),
    },
  }
}

function join(world: World, name: string): Node {
  const { time, store } = world
  let alive = true
  const clock = time.view()
  const provider = faulty(world, memoryProvider({ clock: time, store }), () => alive)
  const random = seededRandom(Math.floor(world.random.next() * 1e9))
  const locks = coordinator({ provider, clock, random, name, ttlMs: TTL_MS, askAgainMs: 500, quota: 2 })
  return {
    locks,
    clock,
    die: () => {
      alive = false
      clock.stop()
    },
  }
}

/** Whoever trusts its lease at this moment. */
function check(world: World): void {
  const sure = [...world.believers].filter(([lease]) => lease.remainingMs() > 0)
  if (sure.length > 1) world.problems.push(`${sure.map(([, who]) => who).join(' and ')} at ${world.time.monotonic()}`)
}

async function task(world: World, node: Node, who: string, until: number): Promise<void> {
  const { random, time, believers, fences, served } = world
  const pause = (ms: number): Promise<void> => sleep(node.clock, random.next() * ms)
  while (time.monotonic() < until) {
    await pause(30)
    const stop = new AbortController()
    if (random.next() < 0.1) void pause(100).then(() => stop.abort())
    const forgets = random.next() < 0.02
    const lease = await node.locks
      .mutex('m')
      .tryAcquire({
        waitMs: 1_000 + random.next() * 8_000,
        signal: stop.signal,
        renew: !forgets,
        priority: random.next() < 0.1 ? 1 : 0,
        ...(random.next() < 0.1 && { meta: who }),
      })
      .catch(() => undefined)
    if (lease?.ok !== true) continue
    if (lease.remainingMs() > 0) {
      believers.set(lease, who)
      check(world)
      if (fences.length > 0 && lease.fence <= fences.at(-1)!) world.problems.push(`fence of ${who} went back`)
      fences.push(lease.fence)
      served.set(who, (served.get(who) ?? 0) + 1)
      await pause(random.next() < 0.05 ? TTL_MS * 3 : 20)
    }
    believers.delete(lease)
    if (!forgets) await lease.release().catch(() => {})
  }
}

async function campaign(seed: number): Promise<World> {
  const random = seededRandom(seed)
  const time = virtualClock()
  const world: World = {
    time,
    random,
    store: memoryStore(),
    believers: new Map(),
    fences: [],
    served: new Map(),
    problems: [],
  }
  const forgetful = new Set<Lease>()
  const nodes = Array.from({ length: NODES }, (_, index) => join(world, `n${index}`))
  nodes.forEach((node, n) => {
    for (let t = 0; t < TASKS_PER_NODE; t += 1) void task(world, node, `n${n}.${t}`, RUN_MS)
  })
  const doomed = nodes[NODES - 1]!
  time.schedule(RUN_MS / 2, () => {
    doomed.die()
    for (const [lease, who] of world.believers) if (who.startsWith(`n${NODES - 1}`)) forgetful.add(lease)
    for (const lease of forgetful) world.believers.delete(lease)
  })
  for (let at = 3_000; at < RUN_MS - 10_000; at += 5_000) {
    const node = nodes[Math.floor(random.next() * (NODES - 1))]!
    time.schedule(at, () => node.clock.pause())
    time.schedule(at + random.next() * TTL_MS * 2, () => node.clock.resume())
  }
  await time.advance(RUN_MS + 30_000)
  const closing = Promise.all(nodes.slice(0, NODES - 1).map(({ locks }) => locks.close()))
  await time.advance(10_000)
  await closing
  return world
}

describe('a mutex under random schedules', () => {
  it.each(Array.from({ length: 12 }, (_, index) => index + 1))('holds what it promises, seed %i', async (seed) => {
    const { problems, served, fences, store, time } = await campaign(seed)
    expect(problems).toEqual([])
    expect(fences.length).toBeGreaterThan(100)
    for (let n = 0; n < NODES - 1; n += 1) {
      for (let t = 0; t < TASKS_PER_NODE; t += 1) expect(served.get(`n${n}.${t}`) ?? 0).toBeGreaterThan(3)
    }
    await time.advance(60_000)
    const space = store.space('lockstep')
    const watch = memoryProvider({ clock: time, store })
    expect((await watch.registry.list({ prefix: '', limit: 10 })).locks).toEqual([])
    expect([...space.listeners.keys()]).toHaveLength(1) // of the one who died
  })
})
