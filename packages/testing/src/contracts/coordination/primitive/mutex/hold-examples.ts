import { expect } from 'vitest'
import type { Example } from '../../contract.ts'
import { busy, held, lossOf, PAST_SHORT_TTL, type PrimitiveBench, SHORT_TTL } from '../primitive-bench.ts'

export function holdExamples(example: Example<PrimitiveBench>): void {
  example('keeps everybody else out until it is released, and tells them who has it', async (b) => {
    const [one, two] = [await b.coordinator({ name: 'one' }), await b.coordinator()]
    const lease = await one.mutex('orders').acquire({ meta: { task: 'nightly "report" ü' } })
    const refused = busy(await two.mutex('orders').tryAcquire())
    expect(refused).toMatchObject({
      reason: 'held',
      holder: { nodeId: one.id, node: 'one', meta: { task: 'nightly "report" ü' } },
    })
    expect(refused.retryAfterMs).toBeGreaterThan(0)
    busy(await one.mutex('orders').tryAcquire())
    expect(lease.name).toBe('orders')
    lease.assertHeld()
    expect(lease.remainingMs()).toBeGreaterThan(0)
    expect(await lease.release()).toBe('released')
    await lease.release()
    await held(await two.mutex('orders').tryAcquire()).release()
  })

  example('is over after release, without any alarm', async (b) => {
    const one = await b.coordinator()
    const lease = await one.mutex('orders').acquire()
    await lease.release()
    expect(lease.signal.aborted).toBe(false)
    expect(lease.remainingMs()).toBe(0)
    expect(() => lease.assertHeld()).toThrow(expect.objectContaining({ code: 'LEASE_LOST' }))
    expect(await lease.verify()).toBe(false)
    await b.harness.elapse(50)
    expect(lease.signal.aborted).toBe(false)
  })

  example('renews a lease for as long as it is held', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    const lease = await one.mutex('orders').acquire({ ttlMs: SHORT_TTL })
    for (let i = 0; i < 5; i += 1) {
      await b.harness.elapse(SHORT_TTL)
      busy(await two.mutex('orders').tryAcquire())
    }
    expect(lease.signal.aborted).toBe(false)
    lease.assertHeld()
    expect(await lease.verify()).toBe(true)
  })

  example('lets a lease end by itself that is not renewed, and says so before another can have it', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    const askedAt = b.harness.clock.monotonic()
    const lease = await one.mutex('orders').acquire({ ttlMs: SHORT_TTL, renew: false })
    let abortedAt = 0
    lease.signal.addEventListener('abort', () => {
      abortedAt = b.harness.clock.monotonic()
    })
    const next = await two.mutex('orders').acquire()
    expect(lease.signal.aborted).toBe(true)
    expect(lease.signal.reason).toMatchObject({ code: 'LEASE_LOST', details: { name: 'orders', reason: 'expired' } })
    if (b.harness.time === 'virtual') expect(abortedAt).toBeLessThan(askedAt + SHORT_TTL)
    expect(() => lease.assertHeld()).toThrow(expect.objectContaining({ code: 'LEASE_LOST' }))
    expect(lease.remainingMs()).toBe(0)
    expect(await lease.release()).toBe('lost')
    expect(next.fence).toBeGreaterThan(lease.fence)
    expect(await next.verify()).toBe(true)
  })

  example('tells a holder that its lease was broken, and why', async (b) => {
    const one = await b.coordinator()
    const lease = await one.mutex('orders').acquire()
    await b.harness.provider.registry.break('orders', { reason: 'it hangs', by: 'ada' })
    expect(await lossOf(b, lease)).toMatchObject({
      code: 'LEASE_LOST',
      message: expect.stringContaining('it hangs'),
      details: { reason: 'revoked', fence: lease.fence },
    })
    expect(await lease.verify()).toBe(false)
    expect(await lease.release()).toBe('lost')
  })

  example('asks a holder to yield without taking the lease', async (b) => {
    const one = await b.coordinator()
    const lease = await one.mutex('orders').acquire()
    expect(lease.yieldSignal.aborted).toBe(false)
    await b.harness.provider.registry.requestYield('orders', { reason: 'a deploy waits', by: 'ada' })
    await b.until('the holder is asked', () => lease.yieldSignal.aborted)
    expect(lease.signal.aborted).toBe(false)
    lease.assertHeld()
  })

  example('notices within one life that the store lost the lease', async (b) => {
    const one = await b.coordinator()
    const lease = await one.mutex('orders').acquire({ ttlMs: SHORT_TTL })
    await b.harness.flush!()
    expect(await lossOf(b, lease)).toMatchObject({ code: 'LEASE_LOST', details: { reason: 'taken' } })
  })

  example('loses its leases, and refuses new ones, while the store is away', async (b) => {
    const one = await b.coordinator()
    const lease = await one.mutex('orders').acquire({ ttlMs: SHORT_TTL })
    await b.harness.crash!()
    await expect(one.mutex('other').tryAcquire()).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' })
    expect(await lossOf(b, lease)).toMatchObject({ code: 'LEASE_LOST', details: { reason: 'expired' } })
    await b.harness.restart!()
    await b.until('leases can be had again', () =>
      one
        .mutex('orders')
        .tryAcquire()
        .then(
          (result) => result.ok,
          () => false,
        ),
    )
  })

  example('goes on in another process with a lease that was detached', async (b) => {
    const [one, two, three] = [await b.coordinator(), await b.coordinator(), await b.coordinator()]
    const lease = await one.mutex('orders').acquire({ ttlMs: SHORT_TTL })
    const ticket = lease.detach()
    const attached = await two.attach(JSON.parse(JSON.stringify(ticket)))
    expect(attached.fence).toBe(lease.fence)
    await b.harness.elapse(2 * SHORT_TTL)
    expect(attached.signal.aborted).toBe(false)
    expect(await attached.verify()).toBe(true)
    busy(await three.mutex('orders').tryAcquire())
    expect(await attached.release()).toBe('released')
    expect(held(await three.mutex('orders').tryAcquire()).fence).toBeGreaterThan(lease.fence)
  })

  example('shows, asks and tells the process that has taken a lease over', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    const taken = [
      ['orders', one.mutex('orders')],
      ['report', one.readWrite('report').write],
      ['pages', one.readWrite('pages').read],
      ['mail', one.semaphore('mail', 3)],
    ] as const
    for (const [name, lock] of taken) {
      const ticket = (await lock.acquire()).detach()
      await using lease = await two.attach(JSON.parse(JSON.stringify(ticket)))
      expect(lease.fence).toBe(BigInt(ticket.fence))
      expect((await two.monitor.read(name))?.holders).toMatchObject([{ holder: { nodeId: two.id } }])
      await two.monitor.requestYield(name, 'a deploy waits')
      await b.until(`the new holder of ${name} is asked`, () => lease.yieldSignal.aborted)
    }
  })

  example('refuses a ticket that came too late', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    const ticket = (await one.mutex('orders').acquire({ ttlMs: SHORT_TTL })).detach()
    await b.harness.elapse(PAST_SHORT_TTL)
    await expect(two.attach(ticket)).rejects.toMatchObject({ code: 'LEASE_LOST' })
    held(await two.mutex('orders').tryAcquire())
  })

  example('tells a name that is in use as another kind of lock', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    await one.mutex('orders').acquire()
    for (const asked of [two.readWrite('orders').read, two.readWrite('orders').write, two.semaphore('orders', 3)])
      await expect(asked.tryAcquire()).rejects.toMatchObject({ code: 'LOCK_KIND_MISMATCH' })
  })
}
