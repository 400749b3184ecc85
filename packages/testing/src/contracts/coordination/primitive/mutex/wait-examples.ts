import { expect } from 'vitest'
import { expectRising } from '../../bench.ts'
import type { Example } from '../../contract.ts'
import { busy, errorOf, held, type PrimitiveBench, SHORT_TTL } from '../primitive-bench.ts'

export function waitExamples(example: Example<PrimitiveBench>): void {
  example('hands a released lock to one who waits in another process', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    const first = await one.mutex('orders').acquire()
    const pending = two.mutex('orders').acquire()
    await b.waiting('orders', 1)
    await first.release()
    const next = await pending
    expect(next.fence).toBeGreaterThan(first.fence)
    expect(await next.verify()).toBe(true)
    next.assertHeld()
  })

  example('keeps a lease that came by hand-over alive like any other', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    const first = await one.mutex('orders').acquire({ ttlMs: SHORT_TTL })
    const pending = two.mutex('orders').acquire({ ttlMs: SHORT_TTL })
    await b.waiting('orders', 1)
    await first.release()
    const next = await pending
    await b.harness.elapse(3 * SHORT_TTL)
    expect(next.signal.aborted).toBe(false)
    busy(await one.mutex('orders').tryAcquire())
  })

  example('hands a lock on inside the process, with a higher fence each time', async (b) => {
    const one = await b.coordinator()
    const lock = one.mutex('orders')
    const fences: bigint[] = []
    let inside = 0
    await Promise.all(
      Array.from({ length: 12 }, () =>
        lock.run(async ({ fence }) => {
          inside += 1
          fences.push(fence)
          await b.harness.elapse(2)
          expect(inside).toBe(1)
          inside -= 1
        }),
      ),
    )
    expect(fences).toHaveLength(12)
    expectRising(fences)
    expect(await b.harness.provider.registry.read('orders')).toBeUndefined()
  })

  example('lets one at a time of many processes in, with fences that rise in their order', async (b) => {
    const coordinators = [await b.coordinator(), await b.coordinator(), await b.coordinator()]
    const fences: bigint[] = []
    let [inside, unprotected] = [0, 0]
    const work = async (i: number): Promise<void> => {
      const lock = coordinators[i % 3]!.mutex('orders')
      for (let round = 0; round < 4; round += 1)
        await lock.run(async ({ fence }) => {
          inside += 1
          expect(inside).toBe(1)
          fences.push(fence)
          const read = unprotected
          await b.harness.elapse(1)
          unprotected = read + 1
          inside -= 1
        })
    }
    await Promise.all(Array.from({ length: 9 }, (_, i) => work(i)))
    expect(unprotected).toBe(36)
    expectRising(fences)
    expect(await b.places('orders')).toBe(0)
  })

  example('lets other processes have their turn although many wait in this one', async (b) => {
    const [one, two] = [await b.coordinator({ quota: 3 }), await b.coordinator()]
    const order: string[] = []
    const first = await one.mutex('orders').acquire()
    const local = Array.from({ length: 15 }, () => one.mutex('orders').run(() => void order.push('one')))
    const remote = two.mutex('orders').run(() => void order.push('two'))
    await b.standing('orders', two)
    await first.release()
    await Promise.all([...local, remote])
    expect(order).toHaveLength(16)
    expect(order.indexOf('two')).toBeLessThanOrEqual(2 * 3 + 2)
  })

  example('does not let a process that asks again at once starve the others', async (b) => {
    const [greedy, patient] = [await b.coordinator(), await b.coordinator()]
    let [stop, stints] = [false, 0]
    const stint = async (): Promise<void> => {
      await b.harness.elapse(1)
      stints += 1
    }
    const grabbing = (async () => {
      while (!stop) await greedy.mutex('orders').run(stint)
    })()
    await b.until('the greedy one is at it', () => stints > 2)
    for (let i = 0; i < 5; i += 1) {
      const before = stints
      await (await patient.mutex('orders').acquire()).release()
      expect(stints - before).toBeLessThan(30)
    }
    stop = true
    await grabbing
  })

  example('gives up waiting in time, and leaves no place behind', async (b) => {
    const [one, two] = [await b.coordinator({ name: 'one' }), await b.coordinator()]
    const lease = await one.mutex('orders').acquire()
    await expect(two.mutex('orders').acquire({ waitMs: 80 })).rejects.toMatchObject({
      code: 'LOCK_TIMEOUT',
      details: { name: 'orders', waitMs: 80 },
    })
    expect(busy(await two.mutex('orders').tryAcquire({ waitMs: 1_500 }))).toMatchObject({
      reason: 'timeout',
      holder: { nodeId: one.id },
    })
    await b.waiting('orders', 0)
    await lease.release()
    held(await one.mutex('orders').tryAcquire())
  })

  example('gives up waiting when the signal says so, with its reason', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    const lease = await one.mutex('orders').acquire()
    const controller = new AbortController()
    const pending = errorOf(two.mutex('orders').acquire({ signal: controller.signal }))
    await b.waiting('orders', 1)
    const reason = new Error('changed my mind')
    controller.abort(reason)
    expect(await pending).toBe(reason)
    await b.waiting('orders', 0)
    expect(await errorOf(two.mutex('orders').acquire({ signal: controller.signal }))).toBe(reason)
    expect(await errorOf(two.mutex('free').tryAcquire({ signal: controller.signal }))).toBe(reason)
    await lease.release()
    held(await one.mutex('orders').tryAcquire())
  })

  example('gives back what it was granted while it gave up', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    for (let round = 0; round < 10; round += 1) {
      const name = `orders ${round}`
      const lease = await one.mutex(name).acquire()
      const controller = new AbortController()
      const pending = two
        .mutex(name)
        .acquire({ signal: controller.signal })
        .then(
          (late) => late.release(),
          () => 'aborted',
        )
      await b.waiting(name, 1)
      const releasing = lease.release()
      if (round % 2 === 1) await releasing
      controller.abort()
      await Promise.all([pending, releasing])
      await b.until('nobody holds it', async () => (await b.harness.provider.registry.read(name)) === undefined)
    }
  })

  example('serves higher priority first', async (b) => {
    const [one, two, three] = [await b.coordinator(), await b.coordinator(), await b.coordinator()]
    const order: string[] = []
    const first = await one.mutex('orders').acquire()
    const low = two.mutex('orders').run(() => void order.push('low'), { priority: -5 })
    await b.waiting('orders', 1)
    const high = three.mutex('orders').run(() => void order.push('high'), { priority: 5 })
    await b.waiting('orders', 2)
    await first.release()
    await Promise.all([low, high])
    expect(order).toEqual(['high', 'low'])
  })

  example('keeps its place for as long as it waits, and passes over those who died', async (b) => {
    // A place lives for three times as long as it takes to ask again: long for a busy machine, and shorter than what elapses.
    const [one, two, three] = [await b.coordinator(), await b.coordinator({ askAgainMs: 600 }), await b.coordinator()]
    const dead = { address: 'nobody', priority: 9, aliveMs: 300, grantTtlMs: 1_000 }
    const lease = await one.mutex('orders').acquire()
    const key = { name: 'orders', token: 'dead', kind: 'mutex', share: { kind: 'mutex' } } as const
    await b.harness.provider.leases.acquire([{ ...key, ttlMs: 1_000, fenceCount: 1, holder: '{}', wait: dead }])
    const first = two.mutex('orders').acquire()
    await b.waiting('orders', 2)
    const second = three.mutex('orders').acquire()
    await b.waiting('orders', 3)
    await b.harness.elapse(2_000)
    await lease.release()
    const next = await first
    expect(await b.places('orders')).toBe(1)
    await next.release()
    await (await second).release()
  })

  example('takes over when the holder died without a word', async (b) => {
    const two = await b.coordinator({ askAgainMs: 100 })
    const key = { name: 'orders', token: 'dead', kind: 'mutex', share: { kind: 'mutex' } } as const
    await b.harness.provider.leases.acquire([{ ...key, ttlMs: SHORT_TTL, fenceCount: 1, holder: '{}' }])
    const next = await two.mutex('orders').acquire()
    expect(await next.verify()).toBe(true)
  })
}
