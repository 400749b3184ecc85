import { expect } from 'vitest'
import type { Example } from '../../contract.ts'
import { errorOf, held, type PrimitiveBench } from '../primitive-bench.ts'

export function closeExamples(example: Example<PrimitiveBench>): void {
  example('gives back everything when it is closed, and says so to its holders', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    const leases = [await one.mutex('orders').acquire(), await one.readWrite('page').write.acquire()]
    await one.close()
    for (const lease of leases) {
      expect(lease.signal.aborted).toBe(true)
      expect(lease.signal.reason).toMatchObject({ code: 'LEASE_LOST', details: { reason: 'closed' } })
    }
    held(await two.mutex('orders').tryAcquire())
    held(await two.readWrite('page').read.tryAcquire())
    await one.close()
  })

  example('ends those who wait when it is closed, and leaves no place', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    const lease = await one.mutex('orders').acquire()
    const pending = [errorOf(two.mutex('orders').acquire()), errorOf(two.mutex('orders').acquire())]
    await b.waiting('orders', 1)
    await two.close()
    for (const error of await Promise.all(pending)) expect(error).toMatchObject({ code: 'COORDINATOR_CLOSED' })
    expect(await b.places('orders')).toBe(0)
    await lease.release()
  })

  example('hands what it held to those who wait elsewhere', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    await one.mutex('orders').acquire()
    const pending = two.mutex('orders').acquire()
    await b.waiting('orders', 1)
    await one.close()
    expect(await (await pending).verify()).toBe(true)
  })

  example('refuses everything after it was closed', async (b) => {
    const one = await b.coordinator()
    const lock = one.mutex('orders')
    await one.close()
    for (const late of [
      () => lock.acquire(),
      () => lock.tryAcquire(),
      () => lock.run(() => 1),
      () => one.readWrite('page').read.acquire(),
      () => one.semaphore('pool', 2).acquire(),
      () => one.all([lock]).acquire(),
    ])
      expect(await errorOf((async () => late())())).toMatchObject({ code: 'COORDINATOR_CLOSED' })
  })

  example('leaves nothing in the store', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    await one.mutex('orders').acquire()
    const pending = errorOf(two.mutex('orders').acquire())
    await b.waiting('orders', 1)
    await one.semaphore('pool', 3).acquire({ weight: 2 })
    await one.readWrite('page').read.acquire()
    await two.close()
    await one.close()
    await pending
    expect(await b.harness.provider.registry.list({ prefix: '', limit: 10 })).toEqual({ locks: [] })
    expect(await b.harness.provider.members.members()).toEqual([])
  })
}
